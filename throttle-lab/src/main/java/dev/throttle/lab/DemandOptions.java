package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.sim.Demand;
import dev.throttle.lab.sim.Retries;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** The options that say what processes want of a server. */
final class DemandOptions {

    private static final int DEFAULT_PROCESSES = 2;

    @Option(
            names = "--calls",
            paramLabel = "N[:+WHEN],...",
            converter = JobsReader.class,
            description =
                    "How many calls each process has to make, instead of endless ones; 1000,10:+5m gives the first"
                            + " process 1000, and the second 10 from minute 5 on")
    private Demand.@Nullable Jobs jobs;

    @Option(
            names = "--arrivals",
            paramLabel = "RATE",
            converter = RateReader.class,
            description = "The calls of each process arrive at random, such as 0.5/s or 30/m, each on a thread of its"
                    + " own, instead of endless ones")
    private @Nullable Double arrivals;

    @Option(
            names = "--max-wait",
            paramLabel = "DURATION",
            description = "The longest a call may wait before it fails; default: not bounded")
    private @Nullable Duration maxWait;

    @Option(
            names = "--retries",
            paramLabel = "WHICH",
            defaultValue = "all",
            description = "all: throttles repeat refused and failed requests until they are accepted; standard: as by"
                    + " default in production; default: ${DEFAULT-VALUE}")
    private Retries retries = Retries.ALL;

    Demand demand(@Nullable Integer burst) {
        Preconditions.check(
                burst == null || arrivals != null, "--burst", String.valueOf(burst), "nothing without --arrivals");
        if (arrivals != null) {
            Preconditions.check(jobs == null, "--arrivals", arrivals + "/s", "nothing beside --calls");
            return new Demand.Arrivals(arrivals, burst == null ? 1 : burst);
        }
        return jobs == null ? new Demand.Endless() : jobs;
    }

    int processes(@Nullable Integer asked) {
        int jobsGiven = jobs == null ? 1 : jobs.jobs().size();
        if (jobsGiven == 1) {
            return asked == null ? DEFAULT_PROCESSES : asked;
        }
        Preconditions.check(
                asked == null || asked >= jobsGiven,
                "--processes",
                String.valueOf(asked),
                "at least as many as --calls has numbers, " + jobsGiven);
        return asked == null ? jobsGiven : asked;
    }

    @Nullable Duration maxWait() {
        return maxWait;
    }

    Retries retries() {
        return retries;
    }

    static final class JobsReader implements ITypeConverter<Demand.Jobs> {
        @Override
        public Demand.Jobs convert(String value) {
            return new Demand.Jobs(Arguments.calls(value));
        }
    }

    static final class RateReader implements ITypeConverter<Double> {
        @Override
        public Double convert(String value) {
            return Arguments.rate(value);
        }
    }
}
