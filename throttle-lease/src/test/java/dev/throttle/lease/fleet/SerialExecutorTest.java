package dev.throttle.lease.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Whatever happens to a task, those after it are run, and its owner is told. */
class SerialExecutorTest {

    private final Queue<Runnable> threads = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private boolean isFull;
    private Runnable meanwhile = () -> {};

    private final SerialExecutor serial = new SerialExecutor(task -> {
        if (isFull) {
            meanwhile.run();
            throw new RejectedExecutionException("full");
        }
        threads.add(task);
    });

    private void add(String name) {
        serial.execute(() -> done.add(name), failures::add);
    }

    private void run() {
        for (Runnable next = threads.poll(); next != null; next = threads.poll()) {
            next.run();
        }
    }

    @Test
    void oneAfterTheOther() {
        add("a");
        add("b");
        assertThat(threads).hasSize(1);
        run();
        assertThat(done).containsExactly("a", "b");
    }

    @Test
    void aTaskThatThrowsHoldsUpNobody() {
        IllegalStateException fault = new IllegalStateException("a fault");
        AssertionError error = new AssertionError("an error");
        serial.execute(
                () -> {
                    throw fault;
                },
                failure -> {
                    failures.add(failure);
                    throw fault; // and so may its owner
                });
        serial.execute(
                () -> {
                    throw error;
                },
                failures::add);
        add("b");
        run();
        add("c");
        run();
        assertThat(done).containsExactly("b", "c");
        assertThat(failures).containsExactly(fault, error);
    }

    @Test
    void whatTheExecutorRefusesIsToldAndTheNextIsRun() {
        isFull = true;
        meanwhile = () -> add("b"); // as another thread may
        add("a");
        assertThat(failures).hasSize(2).hasOnlyElementsOfType(RejectedExecutionException.class);
        isFull = false;
        add("c");
        run();
        assertThat(done).containsExactly("c");
    }

    @Test
    void whatIsTooMuchIsTold() {
        for (int i = 0; i < 10_001; i++) {
            add("a");
        }
        assertThat(failures).singleElement().isInstanceOf(RejectedExecutionException.class);
        run();
        assertThat(done).hasSize(10_000);
    }
}
