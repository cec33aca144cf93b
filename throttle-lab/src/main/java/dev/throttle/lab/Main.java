package dev.throttle.lab;

import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.ServerKind;
import java.time.Duration;
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
            ServeCommand.class
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
        CommandLine line = new CommandLine(new Main())
                .registerConverter(Duration.class, Arguments::duration)
                .registerConverter(OnOff.class, Arguments::onOff)
                .registerConverter(ServerKind.class, Arguments::server)
                .registerConverter(HeaderStyle.class, Arguments::headers)
                .registerConverter(ReportFormat.class, Arguments::format)
                .registerConverter(int.class, Arguments::wholeInt)
                .registerConverter(long.class, Arguments::whole)
                .registerConverter(Long.class, Arguments::whole)
                .registerConverter(double.class, Arguments::number)
                .registerConverter(Double.class, Arguments::number)
                .setParameterExceptionHandler(Main::badArguments)
                .setExecutionExceptionHandler(Main::failed);
        return line.execute(args);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "a command is missing: it takes one of "
                        + String.join(", ", spec.subcommands().keySet()));
    }

    private static int badArguments(ParameterException e, String[] args) {
        complain(e.getCommandLine(), e);
        return BAD_ARGUMENTS;
    }

    private static int failed(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
        if (e instanceof ClosedOutputException) {
            return 0; // whoever read the output has read enough
        }
        complain(line, e);
        return FAILED;
    }

    private static void complain(CommandLine line, Exception e) {
        String message = e.getMessage() == null ? e.toString() : e.getMessage();
        System.err.println(line.getCommandSpec().qualifiedName() + ": "
                + message.lines()
                        .map(String::strip)
                        .reduce((a, b) -> a + " " + b)
                        .orElse(""));
    }
}
