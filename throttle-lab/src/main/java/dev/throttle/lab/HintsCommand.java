package dev.throttle.lab;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "hints", mixinStandardHelpOptions = true)
final class HintsCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return 0;
    }
}
