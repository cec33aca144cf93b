package dev.throttle.reality;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rate limiter that other people wrote, in one configuration, wired as its README does. It is a program that listens
 * on loopback. {@link ProductServer} starts and stops it.
 */
public interface Product {

    /** The path that is limited. */
    String PATH = "/item";

    /** {@return what names it on the command line and in reports: lower case words with hyphens} */
    String name();

    /** {@return the product and what is configured, in a few words} */
    String description();

    /** {@return what a client can know of its limit} */
    Kind kind();

    /** {@return what it grants} */
    Limit limit();

    /** {@return a path that is not limited with {@link #PATH}, if the program is slow at first; null otherwise} */
    default @Nullable String warmUpPath() {
        return null;
    }

    /** {@return the arguments of {@code throttle-lab serve} for the server that stands for it, empty if none does} */
    default List<String> lab() {
        return List.of();
    }

    /** {@return whether it is a proxy: {@link #command} then gets the port of an application that answers 200} */
    default boolean isProxy() {
        return false;
    }

    /** {@return null if it can run on this machine, or what is missing and the command that installs it} */
    @Nullable String missing();

    /** {@return the version that runs; it is asked only if nothing is missing} */
    String version();

    /**
     * {@return the program and its arguments. It runs in the foreground, ends when it is terminated, and is ready as
     * soon as its port accepts connections}
     *
     * @param port where it listens on 127.0.0.1
     * @param applicationPort where the application listens if this is a proxy, 0 otherwise
     * @param directory an empty directory for its files, which is also its working directory
     * @throws IOException if its files cannot be written
     */
    List<String> command(int port, int applicationPort, Path directory) throws IOException;
}
