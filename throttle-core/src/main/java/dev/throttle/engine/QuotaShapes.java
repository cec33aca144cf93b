package dev.throttle.engine;

import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What quotas are, without what changes from answer to answer: each once, however often it was told. Not thread-safe.
 */
final class QuotaShapes {

    /** A server that makes up names does not fill the memory. */
    private static final int MOST = 64;

    private final List<Quota> shapes = new ArrayList<>();

    /** {@return the number of the shape of a quota; -1 if there are too many} */
    int find(Quota quota) {
        for (int i = 0; i < shapes.size(); i++) {
            if (isOf(shapes.get(i), quota)) {
                return i;
            }
        }
        if (shapes.size() == MOST) {
            return -1;
        }
        shapes.add(
                new Quota(quota.policy(), quota.limit(), null, null, quota.window(), quota.unit(), quota.partition()));
        return shapes.size() - 1;
    }

    private static boolean isOf(Quota shape, Quota quota) {
        return shape.isSameAs(quota)
                && shape.unit().equals(quota.unit())
                && java.util.Objects.equals(shape.limit(), quota.limit())
                && java.util.Objects.equals(shape.window(), quota.window());
    }

    /** {@return a quota of a shape} */
    Quota quota(int number, @Nullable Long remaining, @Nullable Duration reset) {
        Quota shape = shapes.get(number);
        return new Quota(
                shape.policy(), shape.limit(), remaining, reset, shape.window(), shape.unit(), shape.partition());
    }
}
