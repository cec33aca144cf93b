package dev.throttle.lab;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "replay", mixinStandardHelpOptions = true)
final class ReplayCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return 0;
    }
}
