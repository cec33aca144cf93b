package dev.throttle.signal.header;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the table of vendors.
 *
 * @param name the vendor's name
 * @param hosts the hosts that its headers are limited to, with those below them; empty for all hosts
 * @param rules what its headers mean, beyond what the names tell anyway
 * @param notes what else is worth knowing
 * @param source where this can be looked up; empty if unknown
 * @param date when it was looked up; empty if unknown
 * @param samples responses
 */
public record Vendor(
        String name,
        List<String> hosts,
        List<Rule> rules,
        List<String> notes,
        String source,
        String date,
        List<Sample> samples) {

    /**
     * What one header means.
     *
     * @param header its name in lower case, perhaps with a star for the quota's name
     * @param meaning what its values tell
     * @param quota the name of the quota that it is about
     * @param unit what is counted
     * @param window the window in milliseconds; {@link Millis#NONE} if unknown
     * @param windows the windows of a list of numbers
     * @param documented whether only a documentation has the header, and no sample
     */
    public record Rule(
            String header,
            Meaning meaning,
            @Nullable String quota,
            @Nullable String unit,
            long window,
            Windows.Row windows,
            boolean documented) {}

    /**
     * A response with what it is to be read as.
     *
     * @param status its status
     * @param constructed whether it was put together from a documentation; otherwise it is a real one
     * @param headers names and values by turns
     * @param reading what it tells, a line for each thing
     */
    public record Sample(int status, boolean constructed, List<String> headers, List<String> reading) {}
}
