package dev.throttle.reality;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one client did in one cell on one product.
 *
 * @param product its name
 * @param version of the product
 * @param cell its name
 * @param client its name
 * @param date when it ran: year, month, day
 * @param machine its cores and how busy they were
 * @param figures by {@link Figure}
 * @param failure what the first failed call got, empty if none failed
 */
public record Result(
        String product,
        String version,
        String cell,
        String client,
        String date,
        String machine,
        Map<Figure, Double> figures,
        String failure) {

    /** What is measured. */
    public enum Figure {
        /** Calls that were made. */
        CALLS,
        /** Calls that ended with 200. */
        SUCCEEDED,
        /** Calls that ended with another status or an exception. */
        FAILED,
        /** Calls that had not ended when the cell was cut off. */
        UNFINISHED,
        /** Requests on the wire. */
        REQUESTS,
        /** Requests that the server refused. */
        REFUSED,
        /** Requests that the server refused more than a second after the first refusal. */
        REFUSED_LATER,
        /** From the first call to the end of the last. */
        SECONDS,
        /** The least time that a job could take. */
        IDEAL_SECONDS,
        /** The median time of a call. */
        P50_MS,
        /** The time within which 99 of 100 calls ended. */
        P99_MS,
        /** Served calls in percent of what the limit grants. */
        USED_PERCENT,
        /** Jain's index of the calls that each process got. */
        JAIN,
        /** From the server's return to the first call that it served. */
        FIRST_SUCCESS_SECONDS,
        /** How long, from the server's return, calls waited for the end of a window that it had told before. */
        TOLD_WAIT_SECONDS,
        /** The time from the server's return to the end, over the ideal time of the calls that were left. */
        REST_SLOWDOWN,
        /** Requests without a useful answer while the server was away. */
        IN_VAIN,
        /** Requests that were on their way when the server went away. */
        IN_FLIGHT
    }

    /** {@return a figure, or NaN if the cell has none such} */
    public double get(Figure figure) {
        Double value = figures.get(figure);
        return value == null ? Double.NaN : value;
    }

    /** {@return refused requests in percent of all} */
    public double refusedPercent() {
        double requests = get(Figure.REQUESTS);
        return requests == 0 ? 0 : 100 * get(Figure.REFUSED) / requests;
    }

    /** {@return the time over the ideal time, or NaN if the cell is no job} */
    public double slowdown() {
        return get(Figure.SECONDS) / get(Figure.IDEAL_SECONDS);
    }

    /** {@return calls without success} */
    public double lost() {
        return get(Figure.FAILED) + get(Figure.UNFINISHED);
    }

    /** {@return a line of JSON} */
    public String toJson() {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("product", product);
        line.put("version", version);
        line.put("cell", cell);
        line.put("client", client);
        line.put("date", date);
        line.put("machine", machine);
        figures.forEach((figure, value) -> line.put(figure.name().toLowerCase(Locale.ROOT), value));
        line.put("failure", failure);
        try {
            return JSON.std.asString(line);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * {@return the result of a line}
     *
     * @throws IOException if it is none
     */
    public static Result fromJson(String line) throws IOException {
        Map<String, Object> all = JSON.std.mapFrom(line);
        Map<Figure, Double> figures = new TreeMap<>();
        for (Figure figure : Figure.values()) {
            if (all.get(figure.name().toLowerCase(Locale.ROOT)) instanceof Number number) {
                figures.put(figure, number.doubleValue());
            }
        }
        return new Result(
                text(all.get("product")),
                text(all.get("version")),
                text(all.get("cell")),
                text(all.get("client")),
                text(all.get("date")),
                text(all.get("machine")),
                figures,
                text(all.get("failure")));
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }
}
