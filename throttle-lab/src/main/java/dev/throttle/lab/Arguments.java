package dev.throttle.lab;

import dev.throttle.internal.DurationText;
import dev.throttle.lab.server.Answer;
import dev.throttle.lab.server.CapacityChange;
import dev.throttle.lab.server.Lockout;
import dev.throttle.lab.server.NamedLimit;
import dev.throttle.lab.server.Outage;
import dev.throttle.lab.server.SecondLimit;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.Stray;
import dev.throttle.lab.server.Weight;
import dev.throttle.lab.server.Words;
import dev.throttle.lab.sim.Change;
import dev.throttle.lab.sim.CostChange;
import dev.throttle.lab.sim.Demand;
import dev.throttle.lab.sim.LogNormal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** Reads arguments; each complaint says what the argument takes. */
final class Arguments {

    private static final Pattern JOIN = Pattern.compile("([^:]+):\\+([0-9]{1,9})");
    private static final Pattern LEAVE = Pattern.compile("([^:]+):-([0-9]{1,9})");

    private static final Pattern JOB = Pattern.compile("([0-9]{1,9})(?::\\+(.+))?");
    private static final Pattern RATE = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,9})?)/([smh])");
    private static final Pattern STRAY = Pattern.compile("(429|503)@([^:]+?)(:bare)?");
    private static final Pattern CAPACITY_CHANGE = Pattern.compile("([^:]+):x([0-9]{1,9}(?:\\.[0-9]{1,9})?)");

    private static final Pattern OUTAGE = Pattern.compile("([^:]+):([^:]+)(?::(503|502|refused))?");
    private static final int BAD_GATEWAY = 502;
    private static final int SERVICE_UNAVAILABLE = 503;

    private static final Pattern BAN = Pattern.compile("ban:([0-9]{1,9})");

    private static final Pattern BESIDE = Pattern.compile("([^:]+)(?::([0-9]{1,9})x([0-9]{1,9}))?");
    private static final Pattern WEIGHT = Pattern.compile("([0-9]{1,9}):([0-9]{1,9})");
    private static final Pattern NAMED_LIMIT = Pattern.compile("([\\w.-]{1,64}):(\\d+)/([^:]+):([\\d.]+)");
    private static final Pattern SECOND_LIMIT = Pattern.compile("([^:]+):([0-9]{1,9})/([^:]+)(:refusals|:hidden)?");

    private static final Pattern LOG_NORMAL = Pattern.compile("([0-9.]{1,12})(?::([0-9.]{1,12}))?");
    private static final Pattern COST_CHANGE = Pattern.compile("([0-9]{1,9}):x([0-9]{1,9}(?:\\.[0-9]{1,9})?)");

    private Arguments() {}

    static Duration duration(String text) {
        try {
            Duration duration = DurationText.parse("duration", text);
            if (!duration.equals(DurationText.FOREVER)) {
                return duration;
            }
        } catch (IllegalArgumentException e) {
            // the same complaint for all
        }
        throw wrong(text, "a duration: a number and ns, us, ms, s, m or h, such as 250ms or 1.5s");
    }

    static int wholeInt(String text) {
        long value = whole(text);
        if (value != (int) value) {
            throw wrong(text, "a whole number, " + Integer.MAX_VALUE + " at most");
        }
        return (int) value;
    }

    static long whole(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw wrong(text, "a whole number");
        }
    }

    static double number(String text) {
        try {
            double value = Double.parseDouble(text);
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // the same complaint for all
        }
        throw wrong(text, "a number");
    }

    /** {@return a share} */
    static double percentage(String text) {
        if (!text.endsWith("%")) {
            throw wrong(text, "a share such as 2% or 0.5%");
        }
        return number(text.substring(0, text.length() - 1)) / 100;
    }

    static BusyRpsSimulation.Pattern pattern(String text) {
        return oneOf(
                text,
                BusyRpsSimulation.Pattern.values(),
                pattern -> pattern.name().toLowerCase(Locale.ROOT));
    }

    static Change join(String text) {
        return change(text, JOIN, 1, "when and how many processes come, such as 5m:+8");
    }

    static Change leave(String text) {
        return change(text, LEAVE, -1, "when and how many processes go, such as 20m:-8");
    }

    private static Change change(String text, Pattern pattern, int sign, String takes) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            throw wrong(text, takes);
        }
        int count = Integer.parseInt(matcher.group(2));
        if (count == 0) {
            throw wrong(text, takes);
        }
        return new Change(duration(matcher.group(1)), sign * count);
    }

    static List<Demand.Job> calls(String text) {
        List<Demand.Job> jobs = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher matcher = JOB.matcher(part);
            if (!matcher.matches() || whole(matcher.group(1)) == 0) {
                throw wrong(text, "how many calls each process has to make, such as 1000 or 1000,10:+5m");
            }
            String start = matcher.group(2);
            long calls = whole(matcher.group(1));
            jobs.add(new Demand.Job(calls, start == null ? Duration.ZERO : duration(start)));
        }
        return jobs;
    }

    /** {@return a rate per second} */
    static double rate(String text) {
        Matcher matcher = RATE.matcher(text);
        if (!matcher.matches()) {
            throw wrong(text, "a rate above zero, such as 0.5/s, 30/m or 100/h");
        }
        double count = number(matcher.group(1));
        double per = switch (matcher.group(2)) {
            case "s" -> 1;
            case "m" -> Duration.ofMinutes(1).toSeconds();
            default -> Duration.ofHours(1).toSeconds();
        };
        if (count <= 0) {
            throw wrong(text, "a rate above zero, such as 0.5/s, 30/m or 100/h");
        }
        return count / per;
    }

    static Stray stray(String text) {
        Matcher matcher = STRAY.matcher(text);
        String takes = "a status and which answer it is: 429@1000, one each 429@30s, or a share 429@0.8%;"
                + " with :bare it comes without Retry-After";
        if (!matcher.matches()) {
            throw wrong(text, takes);
        }
        int status = Integer.parseInt(matcher.group(1));
        boolean hint = matcher.group(3) == null;
        String which = matcher.group(2);
        if (which.endsWith("%")) {
            double share = number(which.substring(0, which.length() - 1)) / 100;
            if (share <= 0 || share > 1) {
                throw wrong(text, takes);
            }
            return new Stray(status, 0, null, share, hint);
        }
        if (which.chars().allMatch(Character::isDigit)) {
            long number = whole(which);
            if (number == 0) {
                throw wrong(text, takes);
            }
            return new Stray(status, number, null, 0, hint);
        }
        Duration every = duration(which);
        if (every.isZero()) {
            throw wrong(text, takes);
        }
        return new Stray(status, 0, every, 0, hint);
    }

    static Outage outage(String text) {
        Matcher matcher = OUTAGE.matcher(text);
        if (!matcher.matches()) {
            throw wrong(
                    text, "when it begins, how long it lasts, and 503, 502 or refused, such as 5m:2m or 5m:10s:502");
        }
        int status = switch (String.valueOf(matcher.group(3))) {
            case "502" -> BAD_GATEWAY;
            case "refused" -> Answer.REFUSED;
            default -> SERVICE_UNAVAILABLE;
        };
        return new Outage(duration(matcher.group(1)), duration(matcher.group(2)), status, false);
    }

    static Outage restart(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != 2) {
            throw wrong(text, "when it begins and how long it lasts, such as 5m:2s");
        }
        return Outage.restart(duration(parts[0]), duration(parts[1]));
    }

    static Lockout lockout(String text) {
        if (text.equals("double")) {
            return Lockout.DOUBLE;
        }
        Matcher matcher = BAN.matcher(text);
        if (!matcher.matches() || whole(matcher.group(1)) == 0) {
            throw wrong(text, "double, or ban and after how many refusals, such as ban:5");
        }
        return new Lockout(whole(matcher.group(1)));
    }

    static CapacityChange capacityChange(String text) {
        Matcher matcher = CAPACITY_CHANGE.matcher(text);
        if (!matcher.matches()) {
            throw wrong(text, "when and by which factor the capacity changes, such as 10m:x0.5");
        }
        return new CapacityChange(duration(matcher.group(1)), number(matcher.group(2)));
    }

    static Beside beside(String text) {
        Matcher matcher = BESIDE.matcher(text);
        if (!matcher.matches()) {
            throw wrong(text, "a strategy, its processes and their threads, such as greedy-until-reset:1x5");
        }
        return matcher.group(2) == null
                ? new Beside(matcher.group(1), 1, 1)
                : new Beside(matcher.group(1), wholeInt(matcher.group(2)), wholeInt(matcher.group(3)));
    }

    static Weight weight(String text) {
        Matcher matcher = WEIGHT.matcher(text);
        if (!matcher.matches()) {
            throw wrong(text, "the least and the most units that a request takes, such as 2:10");
        }
        return new Weight(whole(matcher.group(1)), whole(matcher.group(2)));
    }

    static SecondLimit secondLimit(String text) {
        Matcher matcher = SECOND_LIMIT.matcher(text);
        if (!matcher.matches()) {
            throw wrong(
                    text,
                    "a kind of server and its quota, such as fixed-window:10/1s, gcra:20/10s:hidden or fixed-window:50/1s:refusals");
        }
        return new SecondLimit(
                word(ServerKind.class, matcher.group(1)),
                whole(matcher.group(2)),
                duration(matcher.group(3)),
                matcher.group(4) == null
                        ? SecondLimit.Shown.ALWAYS
                        : SecondLimit.Shown.valueOf(
                                matcher.group(4).substring(1).toUpperCase(Locale.ROOT)));
    }

    static NamedLimit namedLimit(String text) {
        Matcher matcher = NAMED_LIMIT.matcher(text);
        if (!matcher.matches()) {
            throw wrong(text, "a name, a quota and a share of the calls, such as search:30/1m:0.1");
        }
        return new NamedLimit(
                matcher.group(1), whole(matcher.group(2)), duration(matcher.group(3)), number(matcher.group(4)));
    }

    static LogNormal logNormal(String text) {
        Matcher matcher = LOG_NORMAL.matcher(text);
        String takes =
                "the mean of costs from 1 to 100000000, and the deviation of their logarithm from 0 to 3, such as"
                        + " 4000 or 4000:0.8";
        if (!matcher.matches()) {
            throw wrong(text, takes);
        }
        try {
            String sigma = matcher.group(2);
            return new LogNormal(number(matcher.group(1)), sigma == null ? 0 : number(sigma));
        } catch (IllegalArgumentException | TypeConversionException e) {
            throw wrong(text, takes);
        }
    }

    static CostChange costChange(String text) {
        Matcher matcher = COST_CHANGE.matcher(text);
        if (!matcher.matches() || whole(matcher.group(1)) == 0 || number(matcher.group(2)) <= 0) {
            throw wrong(text, "a call from 1 on and a factor above 0, such as 100:x0.1");
        }
        return new CostChange(whole(matcher.group(1)), number(matcher.group(2)));
    }

    /** {@return the constant of this name on the command line} */
    static <E extends Enum<E>> E word(Class<E> type, String text) {
        return oneOf(text, type.getEnumConstants(), Words::of);
    }

    private static <E> E oneOf(String text, E[] values, Function<E, String> names) {
        for (E value : values) {
            if (names.apply(value).equals(text)) {
                return value;
            }
        }
        List<String> known = Arrays.stream(values).map(names).toList();
        throw wrong(text, "one of " + String.join(", ", known));
    }

    private static TypeConversionException wrong(String text, String takes) {
        return new TypeConversionException("'" + text + "': it takes " + takes);
    }
}
