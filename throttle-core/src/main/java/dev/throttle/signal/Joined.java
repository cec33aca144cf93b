package dev.throttle.signal;

import org.jspecify.annotations.Nullable;

/** The lines of one header, which mean the same as one line with commas between them. */
final class Joined {

    private final StringBuilder text;

    private Joined(String first) {
        this.text = new StringBuilder(first);
    }

    /** {@return the lines so far, with one more} */
    static Joined add(@Nullable Joined lines, String line) {
        if (lines == null) {
            return new Joined(line);
        }
        if (lines.text.length() <= Text.LONGEST_VALUE) {
            lines.text.append(", ").append(line);
        }
        return lines;
    }

    /** {@return the whole value; null if there is no line, or if they are too long together} */
    static @Nullable String text(@Nullable Joined lines) {
        return lines == null || lines.text.length() > Text.LONGEST_VALUE ? null : lines.text.toString();
    }
}
