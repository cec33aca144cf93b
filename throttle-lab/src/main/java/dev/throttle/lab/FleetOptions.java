package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.fleet.StoreSpec;
import dev.throttle.lab.server.Outage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** Whether processes share what they learn, and over what. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class FleetOptions {

    /** What is added to the name of a strategy whose processes are a fleet. */
    static final String SUFFIX = "+fleet";

    @Option(
            names = "--fleet",
            description = "Each strategy once more, with processes that share what they learn over a store")
    private boolean fleet;

    @Option(
            names = "--store-latency",
            paramLabel = "DURATION",
            description = "Time from a command to the answer of the store; default: 1ms")
    private @Nullable Duration latency;

    @Option(
            names = "--store-loss",
            paramLabel = "SHARE%",
            converter = LossReader.class,
            description = "Share of the store's answers and messages that never arrive, such as 2%%; default: 0%%")
    private @Nullable Double loss;

    @Option(
            names = "--store-outage",
            paramLabel = "FROM:LENGTH",
            description = "The store cannot be reached, such as 5m:2m; may be repeated")
    private List<Outage> outages = new ArrayList<>();

    /** {@return how the store behaves; null if there is none} */
    @Nullable StoreSpec store() {
        Preconditions.check(
                fleet || (latency == null && loss == null && outages.isEmpty()),
                "--fleet",
                "missing",
                "there for options of its store");
        return fleet
                ? new StoreSpec(latency == null ? Duration.ofMillis(1) : latency, loss == null ? 0 : loss, outages)
                : null;
    }

    static final class LossReader implements ITypeConverter<Double> {
        @Override
        public Double convert(String value) {
            return Arguments.percentage(value);
        }
    }
}
