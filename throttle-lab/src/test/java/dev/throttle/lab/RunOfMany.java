package dev.throttle.lab;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Runs of the command line one after the other, in one process with the packaged jar in front of its class path. Most
 * of what a process of its own would do is to start.
 */
final class RunOfMany {

    /** Follows what a run has written to stdout. The status is the rest of the line. */
    static final char END = 0;

    private RunOfMany() {}

    /** Reads runs from stdin until it ends. */
    public static void main(String... none) throws IOException {
        System.setProperty("java.awt.headless", "true");
        DataInputStream runs = new DataInputStream(new BufferedInputStream(System.in));
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        while (true) {
            String[] args;
            InputStream input;
            try {
                args = new String[runs.readInt()];
                for (int i = 0; i < args.length; i++) {
                    args[i] = runs.readUTF();
                }
                input = new ByteArrayInputStream(runs.readNBytes(runs.readInt()));
            } catch (EOFException e) {
                return;
            }
            System.setIn(input);
            int status = Main.run(args);
            System.out.flush();
            out.write((END + "" + status + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Writes a run as {@link #main} reads it. */
    static void write(OutputStream to, String input, String... args) throws IOException {
        DataOutputStream run = new DataOutputStream(to);
        run.writeInt(args.length);
        for (String arg : args) {
            run.writeUTF(arg);
        }
        byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
        run.writeInt(bytes.length);
        run.write(bytes);
        run.flush();
    }
}
