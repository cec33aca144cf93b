package dev.throttle.lab;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Stdout without {@link System#out}, which hides errors: a full disk must fail the run, and a reader that has gone must
 * end it.
 */
final class Output {

    private static final int BUFFER = 1 << 16;

    private Output() {}

    static Writer open() {
        OutputStream stream = new StandardOutput(new FileOutputStream(FileDescriptor.out));
        return new java.io.BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), BUFFER);
    }

    private static final class StandardOutput extends FilterOutputStream {

        StandardOutput(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
                throw message.contains("pipe") || message.contains("closed") ? new ClosedOutputException(e) : e;
            }
        }

        @Override
        public void close() throws IOException {
            flush(); // stdout itself stays open to the end of the process
        }
    }
}
