package dev.throttle.lab;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "busy", mixinStandardHelpOptions = true)
final class BusyCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return 0;
    }
}
