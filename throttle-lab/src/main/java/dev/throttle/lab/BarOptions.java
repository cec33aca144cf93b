package dev.throttle.lab;

import dev.throttle.lab.bar.BarGroup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of the commands that run the scenarios of the bar. */
final class BarOptions {

    @Option(
            names = "--group",
            split = ",",
            paramLabel = "NAME",
            description = "Groups of scenarios of the bar, separated by commas; default: all")
    private List<String> groups = new ArrayList<>();

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            description =
                    "How many scenarios run at a time, which changes no figure; default: the number of processors")
    private int parallel = Runtime.getRuntime().availableProcessors();

    /** {@return the groups that are asked for, with the scenarios whose arguments contain a text} */
    List<BarGroup> chosen(String filter) throws IOException {
        return BarRun.chosen(groups, filter);
    }

    BarRun run(List<String> strategies, int runs) {
        return new BarRun(strategies, runs, seed, parallel);
    }
}
