package dev.throttle.lab;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "serve", mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return 0;
    }
}
