package dev.throttle.lab;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON objects, one a line, and knows which line is wrong. Empty lines are passed over. */
final class JsonLines {

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();
    private static final JSON TREES = JSON.builder(FACTORY).build();

    private final BufferedReader lines;
    private long line;

    JsonLines(InputStream in) {
        lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8), 1 << 16);
    }

    /** {@return a writer of JSON that separates values at the top by nothing and never closes what it writes to} */
    static JsonGenerator generator(Writer out) throws IOException {
        return FACTORY.createGenerator(out)
                .setPrettyPrinter(new MinimalPrettyPrinter(""))
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM);
    }

    /** {@return whether more can be read without waiting} */
    boolean isReady() throws IOException {
        return lines.ready();
    }

    /** {@return the next object; null at the end} */
    @Nullable Map<String, Object> next() throws IOException {
        String text = lines.readLine();
        line++;
        while (text != null && text.isBlank()) {
            text = lines.readLine();
            line++;
        }
        return text == null ? null : parse(text);
    }

    private Map<String, Object> parse(String text) throws IOException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != com.fasterxml.jackson.core.JsonToken.START_OBJECT) {
                throw wrong("no JSON object");
            }
            Map<String, Object> object = TREES.mapFrom(parser);
            if (parser.nextToken() != null) {
                throw wrong("something after the object");
            }
            return object;
        } catch (JsonProcessingException e) {
            throw wrong("broken JSON: " + withoutLocation(e.getOriginalMessage()));
        }
    }

    /** The parser knows only the one line. */
    private static String withoutLocation(String message) {
        int location = message.indexOf(" (start marker");
        return location < 0 ? message : message.substring(0, location);
    }

    /** {@return a value that was read, as JSON} */
    static String text(Object value) throws IOException {
        return TREES.asString(value);
    }

    /** {@return an error that names the line read last} */
    IOException wrong(String what) {
        return new IOException("line " + line + ": " + what);
    }
}
