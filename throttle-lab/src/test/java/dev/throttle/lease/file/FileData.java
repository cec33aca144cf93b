package dev.throttle.lease.file;

import dev.throttle.lease.fleet.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a file of a fleet keeps, for tests that do its steps without a file. */
public final class FileData {

    private StoreData data = new StoreData();

    /** {@return the answer to a step} */
    public List<Object> run(Step step, String[] keys, String[] args) {
        return Steps.run(data, step, keys, args);
    }

    public void setTime(long micros) {
        data.setTime(micros);
    }

    /** Loses all. */
    public void lose() {
        data = new StoreData();
    }

    /** {@return what brings back what is kept now, which may be done several times} */
    public Runnable saved() {
        byte[] bytes = data.bytes();
        return () -> {
            try {
                data = StoreData.of(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    public String text(String key) {
        return String.valueOf(data.text(key));
    }

    public List<String> list(String key) {
        return List.copyOf(data.list(key));
    }

    public Map<String, String> map(String key) {
        return Map.copyOf(data.map(key));
    }

    /** {@return members and their instants} */
    public Map<String, Long> members(String key) {
        return Map.copyOf(data.members(key));
    }

    /** {@return what was published since this was asked last} */
    public List<String> published() {
        return new ArrayList<>(data.takePublished());
    }
}
