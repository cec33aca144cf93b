package dev.throttle.signal.header;

import dev.throttle.signal.HintReader;
import dev.throttle.signal.header.Vendor.Rule;
import dev.throttle.signal.header.Vendor.Sample;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads tables of vendors, a text that people write: a line begins with a word that says what it is, and an entry with
 * {@code vendor}. The head of {@code vendors.txt} describes all lines.
 */
public final class VendorFile {

    private static final String FILE = "vendors.txt";
    /** The digits of a status. */
    private static final int STATUS = 3;

    private static final Map<String, Meaning> MEANINGS = Arrays.stream(Meaning.values())
            .collect(Collectors.toMap(Meaning::words, meaning -> meaning, (a, b) -> a, TreeMap::new));

    /** The entries of this library. */
    private static final VendorFile STANDARD = ofResource();

    private final String origin;
    /** Only the table of this library says what words mean. */
    private final boolean isStandard;

    private final List<Vendor> vendors = new ArrayList<>();
    private final Words words = new Words();
    private int number;
    private @Nullable Draft draft;

    /** An entry that is being read. */
    private static final class Draft {

        private final String name;
        private final List<String> hosts = new ArrayList<>();
        private final List<Rule> rules = new ArrayList<>();
        private final List<String> notes = new ArrayList<>();
        private final List<Sample> samples = new ArrayList<>();
        private String source = "";
        private String date = "";

        Draft(String name) {
            this.name = name;
        }

        Vendor done() {
            return new Vendor(
                    name,
                    List.copyOf(hosts),
                    List.copyOf(rules),
                    List.copyOf(notes),
                    source,
                    date,
                    List.copyOf(samples));
        }

        Sample sample() {
            return samples.get(samples.size() - 1);
        }
    }

    private VendorFile(String origin, String text, boolean isStandard) {
        this.origin = origin;
        this.isStandard = isStandard;
        for (String line : text.lines().toList()) {
            number++;
            if (!line.isBlank() && line.charAt(0) != '#') {
                read(line.strip());
            }
        }
        finish();
    }

    private static VendorFile ofResource() {
        try (InputStream in = Objects.requireNonNull(VendorFile.class.getResourceAsStream(FILE), FILE)) {
            return new VendorFile(FILE, new String(in.readAllBytes(), StandardCharsets.UTF_8), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the entries of this library} */
    public static List<Vendor> standard() {
        return STANDARD.vendors;
    }

    /**
     * {@return the entries of a text}
     *
     * @param origin where it is from, for messages about mistakes
     * @param text the text
     * @throws IllegalArgumentException if a line is not one of a table of vendors; it names the line
     */
    public static List<Vendor> parse(String origin, String text) {
        return new VendorFile(origin, text, false).vendors;
    }

    /**
     * {@return the entries of a file}
     *
     * @throws IllegalArgumentException if it cannot be read, or a line is not one of a table of vendors
     */
    public static List<Vendor> parse(Path file) {
        try {
            return parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw new IllegalArgumentException("vendors cannot be read from " + file + ": " + e, e);
        }
    }

    /** {@return the entries of the file that the property names} */
    public static List<Vendor> ofProperty() {
        String file = System.getProperty(HintReader.VENDORS_PROPERTY);
        return file == null ? List.of() : parse(Path.of(file));
    }

    /**
     * {@return the table of this library, and of more entries that replace it where they are about the same headers}
     */
    static HeaderTable table(List<Vendor> more) {
        List<Vendor> all = new ArrayList<>(STANDARD.vendors);
        all.addAll(more);
        return HeaderTable.of(all, STANDARD.words);
    }

    private void read(String line) {
        if (line.startsWith(">") || line.startsWith("=")) {
            readSample(line);
            return;
        }
        int colon = line.indexOf(": ");
        String key = colon < 0 ? line : line.substring(0, colon).strip();
        String value = colon < 0 ? "" : line.substring(colon + 2).strip();
        check(!value.isEmpty(), "has no value behind a colon");
        if (key.equals("vendor")) {
            finish();
            draft = new Draft(value);
        } else if (key.startsWith("header ")) {
            current().rules.add(rule(key.substring("header ".length()).strip(), value));
        } else if (!isStandard || !readWords(key, value)) {
            readFact(key, value);
        }
    }

    private void readFact(String key, String value) {
        Draft entry = current();
        switch (key) {
            case "host" -> entry.hosts.add(value.toLowerCase(Locale.ROOT));
            case "note" -> entry.notes.add(value);
            case "source" -> entry.source = value;
            case "date" -> entry.date = value;
            case "sample" -> {
                check(value.matches("[1-5][0-9][0-9]( constructed)?"), "has no status of three digits");
                entry.samples.add(new Sample(
                        Integer.parseInt(value.substring(0, STATUS)),
                        value.length() > STATUS,
                        new ArrayList<>(),
                        new ArrayList<>()));
            }
            default ->
                throw wrong("begins with '" + key
                        + "' and not with vendor, host, header, note, source, date, sample, > or =");
        }
    }

    private boolean readWords(String key, String value) {
        List<String> phrases = List.of(value.split(" +", -1));
        if (key.startsWith("unit ")) {
            phrases.forEach(phrase -> words.addUnit(phrase, key.substring("unit ".length())));
            return true;
        }
        for (Words.Place place : Words.Place.values()) {
            if (key.startsWith(place.key() + " ")) {
                Meaning meaning = meaning(key.substring(place.key().length() + 1));
                phrases.forEach(phrase -> words.add(place, meaning, phrase));
                return true;
            }
        }
        return false;
    }

    private void readSample(String line) {
        check(!current().samples.isEmpty(), "stands before 'sample: STATUS'");
        Sample sample = current().sample();
        String value = line.substring(1).strip();
        if (line.charAt(0) == '=') {
            sample.reading().add(value);
            return;
        }
        int colon = value.indexOf(':');
        check(colon > 0, "is no header");
        sample.headers().add(value.substring(0, colon).strip());
        sample.headers().add(value.substring(colon + 1).strip());
    }

    /** {@code reset milliseconds quota=NAME unit=UNIT window=1m windows=15m,1d}. */
    private Rule rule(String header, String value) {
        String name = header.toLowerCase(Locale.ROOT);
        int star = name.indexOf('*');
        check(
                star < 0 || (star >= HeaderTable.BEFORE_STAR && name.indexOf('*', star + 1) < 0),
                "has more than one star, or one within the first " + HeaderTable.BEFORE_STAR + " characters");
        StringBuilder meaning = new StringBuilder();
        String quota = null;
        String unit = null;
        long window = Millis.NONE;
        List<Long> windows = new ArrayList<>();
        boolean documented = false;
        for (String part : value.split(" +", -1)) {
            int equals = part.indexOf('=');
            String text = part.substring(equals + 1);
            switch (equals < 0 ? part.equals("documented") ? part : "" : part.substring(0, equals)) {
                case "documented" -> documented = true;
                case "" -> meaning.append(meaning.isEmpty() ? "" : " ").append(part);
                case "quota" -> quota = text;
                case "unit" -> unit = text;
                case "window" -> window = window(text);
                case "windows" -> {
                    for (String one : text.split(",", -1)) {
                        windows.add(window(one));
                    }
                }
                default -> throw wrong("has '" + part + "' and not quota=, unit=, window= or windows=");
            }
        }
        return new Rule(
                name,
                meaning(meaning.toString()),
                quota,
                unit,
                window,
                new Windows.Row(List.copyOf(windows)),
                documented);
    }

    private long window(String text) {
        long window = Windows.of(text);
        check(window != Millis.NONE, "has '" + text + "' for a window and not one such as 15m");
        return window;
    }

    private Meaning meaning(String text) {
        Meaning meaning = MEANINGS.get(text);
        if (meaning == null) {
            throw wrong("has '" + text + "' and not one of " + String.join(", ", MEANINGS.keySet()));
        }
        return meaning;
    }

    private Draft current() {
        if (draft == null) {
            throw wrong("stands before 'vendor: NAME'");
        }
        return draft;
    }

    private void finish() {
        if (draft != null) {
            vendors.add(draft.done());
        }
    }

    private void check(boolean holds, String what) {
        if (!holds) {
            throw wrong(what);
        }
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("line " + number + " of " + origin + " " + what);
    }

    /** {@return the entries in the order of their names} */
    public static List<Vendor> sorted(List<Vendor> vendors) {
        return vendors.stream()
                .sorted(Comparator.comparing(vendor -> vendor.name().toLowerCase(Locale.ROOT)))
                .toList();
    }
}
