package dev.throttle.lease.file;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a file keeps: texts, lists, maps, and members with an instant, each under a name and with an end of its own.
 * Instants are microseconds of the store's clock. What is empty is not there. Not thread-safe.
 */
final class StoreData {

    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final int MOST = 1_000_000;

    private static final int TEXT = 0;
    private static final int LIST = 1;
    private static final int MAP = 2;
    private static final int MEMBERS = 3;

    private final Map<String, Entry> entries = new HashMap<>();
    private final List<String> published = new ArrayList<>();
    private long now;

    /** Of one kind: a {@code String}, a list of them, a map of them, or members with their instants. */
    private static final class Entry {

        Object value;
        long endsAt = FOR_EVER;

        Entry(Object value) {
            this.value = value;
        }

        boolean isEmpty() {
            return value instanceof List<?> list ? list.isEmpty() : value instanceof Map<?, ?> map && map.isEmpty();
        }
    }

    /** Members, in the order of their names. A type of its own, to be told from a map of texts. */
    static final class Members extends TreeMap<String, Long> {

        private static final long serialVersionUID = 1;
    }

    /** The time goes on; what has ended is gone. {@return whether anything was} */
    boolean setTime(long micros) {
        now = micros;
        return entries.values().removeIf(entry -> entry.endsAt <= micros);
    }

    long now() {
        return now;
    }

    boolean has(String key) {
        Entry entry = entries.get(key);
        return entry != null && !entry.isEmpty();
    }

    @Nullable String text(String key) {
        Entry entry = entries.get(key);
        return entry == null ? null : (String) entry.value;
    }

    /** Sets a text; its end stays as it is. */
    void setText(String key, String value) {
        entries.computeIfAbsent(key, unused -> new Entry(value)).value = value;
    }

    /** {@return a list, which may be changed} */
    @SuppressWarnings("unchecked") // nothing else is put under the name of a list
    List<String> list(String key) {
        return (List<String>) entries.computeIfAbsent(key, unused -> new Entry(new ArrayList<String>())).value;
    }

    /** {@return a map, which may be changed} */
    @SuppressWarnings("unchecked")
    Map<String, String> map(String key) {
        return (Map<String, String>)
                entries.computeIfAbsent(key, unused -> new Entry(new LinkedHashMap<String, String>())).value;
    }

    /** {@return members, which may be changed} */
    Members members(String key) {
        return (Members) entries.computeIfAbsent(key, unused -> new Entry(new Members())).value;
    }

    /** Sets the end of something, if it is there. */
    void endIn(String key, double millis) {
        Entry entry = entries.get(key);
        if (entry != null) {
            entry.endsAt = now + Math.round(millis) * 1000;
        }
    }

    /** {@return how long something will still be there, in milliseconds; negative if it is not there} */
    double left(String key) {
        Entry entry = entries.get(key);
        return entry == null || entry.endsAt == FOR_EVER || entry.isEmpty() ? -1 : (entry.endsAt - now) / 1e3;
    }

    void remove(String key) {
        entries.remove(key);
    }

    /** Passes a message on to all processes. */
    void publish(String text) {
        published.add(text);
    }

    /** {@return what was published since this was asked last} */
    List<String> takePublished() {
        List<String> all = List.copyOf(published);
        published.clear();
        return all;
    }

    byte[] bytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            entries.values().removeIf(Entry::isEmpty);
            out.writeInt(entries.size());
            for (Map.Entry<String, Entry> each : entries.entrySet()) {
                out.writeUTF(each.getKey());
                out.writeLong(each.getValue().endsAt);
                write(out, each.getValue().value);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, Object value) throws IOException {
        if (value instanceof String text) {
            out.writeByte(TEXT);
            out.writeUTF(text);
        } else if (value instanceof List<?> list) {
            out.writeByte(LIST);
            out.writeInt(list.size());
            for (Object text : list) {
                out.writeUTF((String) text);
            }
        } else if (value instanceof Members members) {
            out.writeByte(MEMBERS);
            out.writeInt(members.size());
            for (Map.Entry<String, Long> member : members.entrySet()) {
                out.writeUTF(member.getKey());
                out.writeLong(member.getValue());
            }
        } else if (value instanceof Map<?, ?> map) {
            out.writeByte(MAP);
            out.writeInt(map.size());
            for (Map.Entry<?, ?> field : map.entrySet()) {
                out.writeUTF((String) field.getKey());
                out.writeUTF((String) field.getValue());
            }
        }
    }

    /**
     * {@return the data of such bytes}
     *
     * @throws IOException if they are not of this form
     */
    static StoreData of(byte[] bytes) throws IOException {
        StoreData data = new StoreData();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int size = count(in);
            for (int i = 0; i < size; i++) {
                String key = in.readUTF();
                long endsAt = in.readLong();
                Entry entry = new Entry(read(in));
                entry.endsAt = endsAt;
                data.entries.put(key, entry);
            }
        }
        return data;
    }

    private static int count(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MOST) {
            throw new IOException("not a state of a fleet");
        }
        return count;
    }

    private static Object read(DataInputStream in) throws IOException {
        int kind = in.readByte();
        if (kind == TEXT) {
            return in.readUTF();
        }
        int size = count(in);
        if (kind == LIST) {
            List<String> list = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                list.add(in.readUTF());
            }
            return list;
        }
        if (kind == MEMBERS) {
            Members members = new Members();
            for (int i = 0; i < size; i++) {
                members.put(in.readUTF(), in.readLong());
            }
            return members;
        }
        if (kind != MAP) {
            throw new IOException("not a state of a fleet");
        }
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            map.put(in.readUTF(), in.readUTF());
        }
        return map;
    }
}
