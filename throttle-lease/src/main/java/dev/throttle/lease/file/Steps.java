package dev.throttle.lease.file;

import dev.throttle.lease.fleet.Step;
import java.util.List;

/** What a fleet asks of its store, done on the data of a file. */
final class Steps {

    private Steps() {}

    /** {@return the answer, as Redis would give it} */
    static List<Object> run(StoreData data, Step step, String[] keys, String[] args) {
        return switch (step) {
            case TAKE_FROM_BUCKET -> BucketSteps.take(data, keys, args);
            case GIVE_TO_BUCKET -> BucketSteps.give(data, keys, args);
            case TAKE_FROM_WINDOW -> WindowSteps.take(data, keys, args);
            case GIVE_TO_WINDOW -> WindowSteps.give(data, keys, args);
            case LEARN -> MemorySteps.learn(data, keys, args);
            case READ -> MemorySteps.read(data, keys, args);
            case LEAVE -> MemorySteps.leave(data, keys, args);
            case RECALL -> MemorySteps.recall(data, keys, args);
        };
    }
}
