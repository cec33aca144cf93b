package dev.throttle.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks through the causes of an exception. */
public final class Causes {

    /** More causes are not looked at. An exception can be its own cause in a circle, so there has to be an end. */
    private static final int DEEPEST = 20;

    private Causes() {}

    /**
     * {@return an exception and its causes, the outermost first; at most twenty, and each once}
     *
     * @param thrown the outermost exception
     */
    public static List<Throwable> chain(Throwable thrown) {
        List<Throwable> chain = new ArrayList<>();
        Throwable cause = thrown;
        while (cause != null && chain.size() < DEEPEST && !holds(chain, cause)) {
            chain.add(cause);
            cause = cause.getCause();
        }
        return chain;
    }

    /** Compares identities, because an exception may define {@code equals} as it likes. */
    private static boolean holds(List<Throwable> chain, Throwable thrown) {
        for (Throwable other : chain) {
            if (other == thrown) {
                return true;
            }
        }
        return false;
    }

    /**
     * Judges an exception by the first of its causes, itself included, that can be judged.
     *
     * @param <T> what a judgement is
     * @param thrown the outermost exception
     * @param judge judges one exception; null if it cannot
     * @return the first judgement; null if no exception could be judged
     */
    public static <T> @Nullable T first(Throwable thrown, Function<Throwable, @Nullable T> judge) {
        for (Throwable cause : chain(thrown)) {
            T judgement = judge.apply(cause);
            if (judgement != null) {
                return judgement;
            }
        }
        return null;
    }

    /**
     * {@return what made a future fail, without the {@link CompletionException} that a dependent future wraps it in}
     *
     * @param failure what the future was completed with
     */
    public static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
