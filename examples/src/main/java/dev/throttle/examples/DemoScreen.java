package dev.throttle.examples;

import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Shows what the clients of the demo do: in place on a terminal, line by line elsewhere. */
interface DemoScreen {

    /** What the gauges of a client say. */
    record Reading(String client, long remaining, Duration sleep, long refused, long waiting) {
        static Reading of(DemoClient client) {
            return new Reading(client.name(), client.remaining(), client.sleep(), client.refused(), client.waiting());
        }
    }

    /** {@return how often it wants to be told} */
    Duration every();

    void begin(String phase, List<Reading> readings);

    void show(Duration elapsed, List<Reading> readings);

    /** {@return what is right for where the output goes} */
    static DemoScreen of(PrintStream out) {
        return movesTheCursor(isTerminal(), System.getenv()) ? new LiveScreen(out) : new PlainScreen(out);
    }

    /** {@return whether lines may be written over} */
    static boolean movesTheCursor(boolean isTerminal, Map<String, String> environment) {
        String terminal = environment.getOrDefault("TERM", "dumb");
        return isTerminal && environment.getOrDefault("NO_COLOR", "").isEmpty() && !terminal.equals("dumb");
    }

    /** From JDK 22 on there may be a console without a terminal, and a method that says so. */
    @SuppressWarnings("SystemConsoleNull") // which is why it is asked what it is
    private static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }
}
