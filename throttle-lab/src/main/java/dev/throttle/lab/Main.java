package dev.throttle.lab;

import dev.throttle.lab.server.CapacityChange;
import dev.throttle.lab.server.Charge;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.Lockout;
import dev.throttle.lab.server.NamedLimit;
import dev.throttle.lab.server.Outage;
import dev.throttle.lab.server.SecondLimit;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.Stray;
import dev.throttle.lab.server.Weight;
import dev.throttle.lab.server.WindowStart;
import dev.throttle.lab.sim.CostChange;
import dev.throttle.lab.sim.LogNormal;
import dev.throttle.lab.sim.Retries;
import java.time.Duration;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line. Data goes to stdout and nothing else does. */
@Command(
        name = "throttle-lab",
        mixinStandardHelpOptions = true,
        version = "throttle-lab 0.1.0-SNAPSHOT",
        description = "Shows what a throttling strategy does before it is shipped.",
        subcommands = {
            CompareCommand.class,
            ReplayCommand.class,
            BusyCommand.class,
            HintsCommand.class,
            ServeCommand.class,
            WatchCommand.class,
            BarCommand.class,
            AblationCommand.class,
            InFlightCommand.class,
            ExplainCommand.class,
            PoolCommand.class,
            DryRunCommand.class,
            ReportCommand.class
        })
public final class Main implements Runnable {

    /** The run failed. */
    static final int FAILED = 1;

    /** The arguments are wrong. */
    static final int BAD_ARGUMENTS = 2;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private Main() {}

    /**
     * Runs a command and ends the process with 0 if it is done, 1 if it failed, 2 if its arguments are wrong.
     *
     * @param args the command and its arguments
     */
    public static void main(String... args) {
        System.setProperty("java.awt.headless", "true");
        System.exit(run(args));
    }

    static int run(String... args) {
        return commandLine().execute(args);
    }

    static CommandLine commandLine() {
        CommandLine line = withTorture(new CommandLine(new Main()));
        words(line, OnOff.class);
        words(line, ServerKind.class);
        words(line, HeaderStyle.class);
        words(line, WindowStart.class);
        words(line, ReportFormat.class);
        words(line, Retries.class);
        words(line, Charge.class);
        words(line, TokenOptions.Refill.class);
        return line.registerConverter(Duration.class, Arguments::duration)
                .registerConverter(BusyRpsSimulation.Pattern.class, Arguments::pattern)
                .registerConverter(Stray.class, Arguments::stray)
                .registerConverter(Outage.class, Arguments::outage)
                .registerConverter(Lockout.class, Arguments::lockout)
                .registerConverter(CapacityChange.class, Arguments::capacityChange)
                .registerConverter(Beside.class, Arguments::beside)
                .registerConverter(Weight.class, Arguments::weight)
                .registerConverter(SecondLimit.class, Arguments::secondLimit)
                .registerConverter(NamedLimit.class, Arguments::namedLimit)
                .registerConverter(LogNormal.class, Arguments::logNormal)
                .registerConverter(CostChange.class, Arguments::costChange)
                .registerConverter(int.class, Arguments::wholeInt)
                .registerConverter(Integer.class, Arguments::wholeInt)
                .registerConverter(long.class, Arguments::whole)
                .registerConverter(Long.class, Arguments::whole)
                .registerConverter(double.class, Arguments::number)
                .registerConverter(Double.class, Arguments::number)
                .setParameterExceptionHandler(Main::badArguments)
                .setExecutionExceptionHandler(Main::failed);
    }

    private static <E extends Enum<E>> void words(CommandLine line, Class<E> type) {
        line.registerConverter(type, text -> Arguments.word(type, text));
    }

    /** Torture is test code. The runnable jar has it, but nothing here is compiled with it. */
    private static CommandLine withTorture(CommandLine line) {
        try {
            return line.addSubcommand(Class.forName("dev.throttle.lab.TortureCommand"));
        } catch (ClassNotFoundException e) {
            return line;
        }
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "a command is missing: it takes one of "
                        + String.join(", ", spec.subcommands().keySet()));
    }

    private static int badArguments(ParameterException e, String[] args) {
        CommandLine line = e.getCommandLine();
        String takes = e instanceof CommandLine.UnmatchedArgumentException ? ": it takes " + accepted(line) : "";
        complain(line, message(e) + takes);
        return BAD_ARGUMENTS;
    }

    private static int failed(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
        if (e instanceof ClosedOutputException) {
            return 0; // the reader of the output has read enough
        }
        complain(line, message(e));
        return FAILED;
    }

    private static String accepted(CommandLine line) {
        return line.getSubcommands().isEmpty()
                ? line.getCommandSpec().options().stream()
                        .map(CommandLine.Model.OptionSpec::longestName)
                        .collect(Collectors.joining(", "))
                : "one of " + String.join(", ", line.getSubcommands().keySet());
    }

    private static String message(Exception e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    private static void complain(CommandLine line, String message) {
        String oneLine = message.lines().map(String::strip).collect(Collectors.joining(" "));
        System.err.println(line.getCommandSpec().qualifiedName() + ": " + oneLine);
    }
}
