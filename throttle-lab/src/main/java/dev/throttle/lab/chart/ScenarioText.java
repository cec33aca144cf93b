package dev.throttle.lab.chart;

import dev.throttle.internal.DurationText;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.server.Words;
import dev.throttle.lab.sim.Demand;
import dev.throttle.lab.sim.Scenario;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.stream.Collectors;

/** Says what was simulated. */
public final class ScenarioText {

    private ScenarioText() {}

    /**
     * {@return the server in a line}
     *
     * @param server the server
     */
    public static String title(ServerSpec server) {
        return "Server: " + (server.kind() == ServerKind.GCRA ? "bucket that refills" : Words.of(server.kind())) + ", "
                + server.capacity() + " per "
                + DurationText.format(server.window()) + ", headers "
                + Words.of(server.headers())
                + (server.retryAfter() ? ", Retry-After" : "");
    }

    /**
     * {@return the clients in a line}
     *
     * @param scenario what is simulated
     */
    public static String details(Scenario scenario) {
        StringBuilder text = new StringBuilder()
                .append(several(scenario.processes(), "process", "processes"))
                .append(" of ")
                .append(several(scenario.threads(), "thread", "threads"))
                .append(", latency ")
                .append(DurationText.format(scenario.latency()))
                .append(demand(scenario.demand()));
        scenario.changes()
                .forEach(change -> text.append(", ")
                        .append(
                                change.processes() > 0
                                        ? several(change.processes(), "joins", "join")
                                        : several(-change.processes(), "leaves", "leave"))
                        .append(" at ")
                        .append(DurationText.format(change.at())));
        return text.toString();
    }

    private static String several(int count, String one, String many) {
        return count + " " + (count == 1 ? one : many);
    }

    private static String demand(Demand demand) {
        if (demand instanceof Demand.Jobs jobs) {
            return jobs.jobs().stream()
                    .map(job -> job.calls() + (job.start().isZero() ? "" : " from " + DurationText.format(job.start())))
                    .collect(Collectors.joining(", ", ", calls: ", ""));
        }
        if (demand instanceof Demand.Arrivals arrivals) {
            String each = arrivals.burst() == 1 ? "" : " times " + arrivals.burst();
            return ", " + BigDecimal.valueOf(arrivals.perSecond()).round(new MathContext(3)) + " calls/s" + each;
        }
        return "";
    }
}
