package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResetUnit;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the hints of a response. It looks at each header once and reads only those that may tell about limits, so that
 * a response without any costs a look at the names.
 */
public final class HeaderHintParser {

    private static volatile @Nullable HeaderHintParser standard;

    private static final int FIRST_REFUSAL = 400;
    private static final int FORBIDDEN = 403;
    private static final int TOO_MANY_REQUESTS = 429;

    private final ResetUnit resetUnit;
    private final @Nullable Duration floor;
    private final Map<String, ResetUnit> resetUnits;
    private final Map<String, Duration> floors;
    private final HeaderTable table;

    public HeaderHintParser(
            ResetUnit resetUnit,
            @Nullable Duration floor,
            Map<String, ResetUnit> resetUnits,
            Map<String, Duration> floors,
            List<Vendor> vendors) {
        this.resetUnit = resetUnit;
        this.floor = floor;
        this.resetUnits = Map.copyOf(resetUnits);
        this.floors = Map.copyOf(floors);
        this.table = VendorFile.table(vendors);
    }

    /**
     * {@return the reader of this library's entries, and of those in the file that a property names}
     *
     * @throws IllegalArgumentException if that file cannot be read
     */
    public static HeaderHintParser standard() {
        HeaderHintParser known = standard;
        if (known == null) { // two threads may make two that are alike
            known = new HeaderHintParser(ResetUnit.AUTO, null, Map.of(), Map.of(), VendorFile.ofProperty());
            standard = known;
        }
        return known;
    }

    public RateHints read(ResponseHead response, long receivedAtMillis) {
        int status = response.status();
        String host = response.host();
        HeaderScan scan = new HeaderScan(table.of(host), host, status == FORBIDDEN || status == TOO_MANY_REQUESTS);
        response.forEachHeader(scan);
        Duration applicable = status >= FIRST_REFUSAL ? floor(response, scan) : null;
        List<HeaderScan.Line> lines = scan.lines();
        if (lines == null) {
            List<Quota> named = scan.named(List.of());
            return applicable == null && named.isEmpty()
                    ? RateHints.NONE
                    : new RateHints(null, named, applicable, null);
        }
        RateLimitHeaderParser reading =
                new RateLimitHeaderParser(ResetTimeParser.of(scan.date(), receivedAtMillis, resetUnit(response)), scan);
        for (HeaderScan.Line line : lines) {
            reading.add(line.name(), line.value());
        }
        List<Quota> quotas = scan.isFromCache() ? List.of() : scan.named(reading.quotas());
        Boolean shouldRetry = status >= FIRST_REFUSAL ? reading.shouldRetry() : null;
        RateHints hints = new RateHints(
                QuotaBuilder.duration(reading.retryAfterMillis()),
                quotas,
                applicable,
                shouldRetry,
                scan.isFromCache() ? null : reading.cost());
        return hints.isEmpty() ? RateHints.NONE : hints;
    }

    private ResetUnit resetUnit(ResponseHead response) {
        return resetUnits.isEmpty() ? resetUnit : resetUnits.getOrDefault(host(response), resetUnit);
    }

    private @Nullable Duration floor(ResponseHead response, HeaderScan scan) {
        Duration ofHost = floors.isEmpty() ? null : floors.get(host(response));
        if (ofHost != null) {
            return ofHost;
        }
        return floor == null ? QuotaBuilder.duration(scan.floorMillis()) : floor;
    }

    private static String host(ResponseHead response) {
        return response.host().toLowerCase(Locale.ROOT);
    }
}
