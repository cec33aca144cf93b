package dev.throttle.lab;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.header.Vendor;
import dev.throttle.signal.header.VendorFile;
import java.io.IOException;
import java.io.Writer;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What a response tells a client about the server's limits. */
@Command(
        name = "hints",
        mixinStandardHelpOptions = true,
        description = "What does this response tell a client? Reads responses as JSON Lines from stdin, such as"
                + " {\"id\":\"x\",\"status\":429,\"headers\":[[\"Retry-After\",\"5\"]],\"receivedAt\":1700000000000},"
                + " and writes what they say as JSON Lines.")
final class HintsCommand implements Callable<Integer> {

    @Option(
            names = "--http",
            description = "Reads one response head instead, as curl -si prints it, and explains it to a person")
    private boolean http;

    @Option(
            names = "--vendors",
            description = "Lists the vendors whose headers are known, with samples, and reads nothing")
    private boolean vendors;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final HintReader reader = HintReader.standard();
    private final Classifier classifier = Classifier.standard();

    @Override
    public Integer call() throws IOException {
        try (Writer out = Output.open()) {
            if (vendors) {
                writeVendors(out);
            } else if (http) {
                HttpHead head = HttpHead.read(System.in);
                out.write(Explanation.of(head.response(), System.currentTimeMillis()));
            } else {
                writeAll(new JsonLines(System.in), out);
            }
        }
        return 0;
    }

    private static void writeVendors(Writer out) throws IOException {
        for (Vendor vendor : VendorFile.sorted(VendorFile.standard())) {
            out.write(vendor.name() + " (" + vendor.source() + ", " + vendor.date() + ")\n");
            for (Vendor.Sample sample : vendor.samples()) {
                out.write(sample.constructed() ? "  constructed from the documentation:\n" : "");
                for (int i = 0; i < sample.headers().size(); i += 2) {
                    out.write("  " + sample.headers().get(i) + ": "
                            + sample.headers().get(i + 1) + "\n");
                }
                for (String reading : sample.reading()) {
                    out.write("    = " + reading + "\n");
                }
            }
        }
    }

    private void writeAll(JsonLines lines, Writer out) throws IOException {
        try (JsonGenerator json = JsonLines.generator(out)) {
            Map<String, Object> line = lines.next();
            while (line != null) {
                try {
                    write(line, json);
                } catch (IllegalArgumentException e) {
                    throw lines.wrong(String.valueOf(e.getMessage()));
                }
                json.writeRaw('\n');
                if (!lines.isReady()) {
                    json.flush();
                    out.flush();
                }
                line = lines.next();
            }
        }
    }

    private void write(Map<String, Object> line, JsonGenerator json) throws IOException {
        RecordedResponse response = RecordedResponse.of(line);
        RateHints hints = reader.read(response, receivedAt(line.get("receivedAt")));
        Outcome outcome = classifier.classify(response, hints);
        json.writeStartObject();
        writeId(line.get("id"), json);
        json.writeBooleanField("throttled", outcome.isRefusal());
        writeNumber("retryAfterMillis", millis(hints.retryAfter()), json);
        json.writeArrayFieldStart("policies");
        for (Quota quota : hints.quotas()) {
            json.writeStartObject();
            json.writeStringField("name", quota.policy());
            writeNumber("limit", quota.limit(), json);
            writeNumber("remaining", quota.remaining(), json);
            writeNumber("resetMillis", millis(quota.reset()), json);
            writeNumber("windowMillis", millis(quota.window()), json);
            json.writeStringField("unit", quota.unit());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static long receivedAt(@Nullable Object value) {
        if (value == null) {
            return System.currentTimeMillis();
        }
        if (value instanceof Integer || value instanceof Long) {
            return ((Number) value).longValue();
        }
        throw new IllegalArgumentException("receivedAt is " + value + ": it takes milliseconds since 1970");
    }

    private static void writeId(@Nullable Object id, JsonGenerator json) throws IOException {
        if (id instanceof Integer || id instanceof Long || id instanceof BigInteger) {
            json.writeFieldName("id");
            json.writeNumber(id.toString());
        } else if (id == null || id instanceof String) {
            json.writeStringField("id", (String) id);
        } else {
            throw new IllegalArgumentException("id is " + id + ": it takes a text or a whole number");
        }
    }

    private static void writeNumber(String name, @Nullable Long value, JsonGenerator json) throws IOException {
        if (value == null) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, value);
        }
    }

    /** Rounds up, so that a client that counts in milliseconds does not come back too early. */
    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null
                ? null
                : Long.valueOf(duration.plusNanos(NANOS_PER_MILLI - 1).toMillis());
    }
}
