package dev.throttle.signal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The inputs that fuzzing begins with, and that each build tries. A line of a file is an input; {@code \n}, {@code \r},
 * {@code \t}, {@code \\} and {@code \x41} stand for bytes.
 */
public final class Corpus {

    private static final int HEX = 16;

    private Corpus() {}

    /** {@return the inputs in the file of a target} */
    public static List<byte[]> of(String target) {
        String file = "/fuzz/" + target + ".txt";
        try (InputStream in = Corpus.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no " + file);
            }
            List<byte[]> inputs = new ArrayList<>();
            new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .map(Corpus::bytes)
                    .forEach(inputs::add);
            return inputs;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the inputs of {@link HeaderTarget}, the responses of the header tests among them} */
    public static Stream<byte[]> headers() {
        return Stream.concat(Vector.all().stream().map(vector -> bytes(vector.head())), of("headers").stream());
    }

    /** {@return the inputs of {@code TimeTarget}} */
    public static List<byte[]> times() {
        return of("times");
    }

    /** {@return the inputs of {@code StructuredTarget}} */
    public static List<byte[]> structuredFields() {
        return of("structured-fields");
    }

    /** {@return the inputs of {@code RequestTarget}} */
    public static List<byte[]> requests() {
        return of("requests");
    }

    /** {@return the inputs of {@link RefusalTarget}} */
    public static List<byte[]> refusals() {
        return of("refusals");
    }

    private static byte[] bytes(Head head) {
        StringBuilder text = new StringBuilder().append(head.status());
        head.forEachHeader(
                (name, value) -> text.append('\n').append(name).append(": ").append(value));
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(String line) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c != '\\') {
                bytes.write(c);
                continue;
            }
            i++;
            switch (line.charAt(i)) {
                case 'n' -> bytes.write('\n');
                case 'r' -> bytes.write('\r');
                case 't' -> bytes.write('\t');
                case 'x' -> {
                    bytes.write(Integer.parseInt(line, i + 1, i + 3, HEX));
                    i += 2;
                }
                default -> bytes.write(line.charAt(i));
            }
        }
        return bytes.toByteArray();
    }
}
