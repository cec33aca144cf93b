package dev.throttle.lab;

import dev.throttle.lab.server.ServerSpec;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** Reads the arguments of {@code throttle-lab serve} without starting it. It is in the package of what it uses. */
public final class LabArguments {

    private LabArguments() {}

    /** {@return the server that the arguments describe} */
    public static ServerSpec server(List<String> arguments) {
        String[] all = Stream.concat(Stream.of("serve"), arguments.stream()).toArray(String[]::new);
        CommandSpec serve = Main.commandLine().parseArgs(all).subcommand().commandSpec();
        ServerOptions options = (ServerOptions) serve.mixins().get("server").userObject();
        return options.spec(Duration.ZERO, 0);
    }
}
