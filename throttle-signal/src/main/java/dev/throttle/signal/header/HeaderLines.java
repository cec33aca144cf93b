package dev.throttle.signal.header;

import org.jspecify.annotations.Nullable;

/** The lines of one header, which mean the same as one line with commas between them. */
final class HeaderLines {

    private final String first;
    /** All lines, once there is more than one. */
    private @Nullable StringBuilder all;

    private HeaderLines(String first) {
        this.first = first;
    }

    /** {@return the lines so far, with one more} */
    static HeaderLines add(@Nullable HeaderLines lines, String line) {
        if (lines == null) {
            return new HeaderLines(line);
        }
        if (lines.all == null) {
            lines.all = new StringBuilder(lines.first);
        }
        if (lines.all.length() <= Text.LONGEST_VALUE) {
            lines.all.append(", ").append(line);
        }
        return lines;
    }

    /** {@return the whole value; null if there is no line, or if they are too long together} */
    static @Nullable String text(@Nullable HeaderLines lines) {
        if (lines == null) {
            return null;
        }
        CharSequence text = lines.all == null ? lines.first : lines.all;
        return text.length() > Text.LONGEST_VALUE ? null : text.toString();
    }
}
