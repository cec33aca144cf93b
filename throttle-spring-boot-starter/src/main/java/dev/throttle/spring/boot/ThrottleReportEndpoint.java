package dev.throttle.spring.boot;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleReport;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** Says what the throttles would have done that only observe. Each request replays what was recorded. */
@Endpoint(id = "throttlereport")
class ThrottleReportEndpoint {

    private final ThrottleRegistry throttles;

    ThrottleReportEndpoint(ThrottleRegistry throttles) {
        this.throttles = throttles;
    }

    /**
     * All reports.
     *
     * @param reports those of the keys that observe, first those with most refusals
     */
    record Reports(List<Entry> reports) {}

    /**
     * One report.
     *
     * @param summary the report in some sentences
     * @param avoided how many refusals would not have happened
     * @param report all its figures
     */
    record Entry(String summary, long avoided, ThrottleReport report) {

        static Entry of(ThrottleReport report) {
            return new Entry(report.toString(), report.avoided(), report);
        }
    }

    @ReadOperation
    public Reports reports() {
        return new Reports(throttles.reports().stream().map(Entry::of).toList());
    }

    /** {@return the report of one key; null if it does not observe} */
    @ReadOperation
    public @Nullable Entry report(@Selector(match = Selector.Match.ALL_REMAINING) String[] label) {
        Throttle found = ThrottlesEndpoint.find(throttles, label);
        ThrottleReport report = found == null ? null : found.report();
        return report == null ? null : Entry.of(report);
    }
}
