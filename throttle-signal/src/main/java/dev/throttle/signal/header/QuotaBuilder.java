package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import dev.throttle.signal.header.HeaderName.Family;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Collects the headers that tell about one quota. Where a header is sent twice, the stricter one counts. */
final class QuotaBuilder {

    private static final long UNKNOWN = -1;
    private static final double MILLIS_PER_SECOND = 1000;
    /** In a minute. */
    private static final long SECONDS = 60;

    private final Family family;
    private final @Nullable String group;

    private @Nullable String resource;
    private @Nullable String bucket;
    private @Nullable String name;
    private @Nullable String partition;
    private String unit = Quota.REQUESTS;
    private @Nullable String limits;
    private @Nullable String lefts;
    private @Nullable String uses;
    private @Nullable String resets;
    private long limit = UNKNOWN;
    private long burst = UNKNOWN;
    private long remaining = UNKNOWN;
    private long used = UNKNOWN;
    private double rate;
    /** How many units each call takes of the limit, of what remains and of the rate. */
    private long each = 1;

    private long resetAfter = Millis.NONE;
    private long reset = Millis.NONE;
    /** Whether the number of the reset may be milliseconds. */
    private boolean ambiguous;

    private long resetRepeated = Millis.NONE;
    private long window = Millis.NONE;
    private Windows.Row windows = Windows.Row.UNKNOWN;
    private List<Policy> policies = List.of();
    /** Where the headers have a number for each of several windows. */
    private List<Quota> rows = List.of();

    QuotaBuilder(Family family, @Nullable String group) {
        this.family = family;
        this.group = group;
    }

    Family family() {
        return family;
    }

    boolean is(Family otherFamily, @Nullable String otherGroup) {
        return family == otherFamily && Objects.equals(group, otherGroup);
    }

    void limit(long value) {
        limit = stricter(limit, value);
    }

    void remaining(long value) {
        remaining = stricter(remaining, value);
    }

    void reset(long millis) {
        reset = Math.max(reset, millis);
    }

    /** Learns what the name of a header says. */
    void know(HeaderName header) {
        if (header.unit() != null) {
            unit = header.unit();
        }
        window(header.window());
        if (!header.windows().millis().isEmpty()) {
            windows = header.windows();
        }
    }

    void add(Meaning meaning, String value, ResetTimeParser when, Words words) {
        switch (meaning) {
            case LIMIT, QUOTA -> addLimit(value);
            case REMAINING -> {
                Decimal number = Decimal.parse(value);
                if (number == null) {
                    lefts = Text.joined(lefts, value);
                } else {
                    remaining(number.whole());
                }
            }
            case USED -> {
                Decimal number = Decimal.parse(value);
                if (number == null) {
                    uses = Text.joined(uses, value);
                } else {
                    used = Math.max(used, number.ceil());
                }
            }
            case USED_OF_LIMIT -> addUsedOfLimit(value);
            case BURST -> burst = stricter(burst, CommaList.least(value));
            case RATE -> rate(Decimal.parse(value));
            case COST_OF_EACH -> {
                Decimal number = Decimal.parse(value);
                each = number == null ? each : Math.max(each, number.whole());
            }
            case RESET -> {
                long until = when.untilReset(value);
                if (until == Millis.NONE) {
                    resets = isList(value) ? Text.joined(resets, value) : resets;
                } else {
                    ambiguous = until > reset ? when.isAmbiguous(value) : ambiguous;
                    reset(until);
                }
            }
            case RESET_SECONDS -> resetAfter = Math.max(resetAfter, ResetTimeParser.delta(value));
            case RESET_MINUTES -> {
                long seconds = ResetTimeParser.delta(value);
                resetAfter = Math.max(resetAfter, seconds == Millis.NONE ? seconds : Millis.bounded(seconds * SECONDS));
            }
            case RESET_AFTER_MILLIS -> resetAfter = Math.max(resetAfter, ResetTimeParser.millis(value));
            case RESET_MILLIS -> reset(when.untilMillis(value));
            case RESET_EPOCH -> reset(when.untilEpoch(value));
            case RESET_REPEATED -> resetRepeated = Math.max(resetRepeated, when.until(value));
            case WINDOW_MILLIS -> window(ResetTimeParser.millis(value));
            case WINDOW -> {
                long seconds = ResetTimeParser.delta(value);
                window(seconds == Millis.NONE ? Windows.ofText(value) : seconds);
            }
            case RESOURCE -> {
                resource = Names.of(value);
                unit = group == null && resource != null ? words.unit(Text.lower(resource)) : unit;
            }
            case BUCKET -> bucket = Names.of(value);
            case NAME -> name = name == null ? Names.of(value) : name;
            default -> {}
        }
    }

    private static boolean isList(String value) {
        return value.indexOf(',') >= 0 || value.indexOf(';') >= 0 || value.indexOf('/') >= 0;
    }

    private void addLimit(String value) {
        Decimal number = Decimal.parse(value);
        if (number == null) {
            limits = Text.joined(limits, value);
        } else if (number.whole() == 0 && number.nanos() > 0) {
            rate(number); // no server grants less than one: it tells a rate
        } else {
            limit(number.whole());
        }
    }

    private void rate(@Nullable Decimal number) {
        double value = number == null ? 0 : number.whole() + (double) number.nanos() / Decimal.BILLION;
        rate = rate == 0 || value == 0 ? Math.max(rate, value) : Math.min(rate, value);
    }

    /** {@return whether it was used and granted, such as {@code 32/40}} */
    boolean addUsedOfLimit(String value) {
        int slash = value.indexOf('/');
        Decimal first = slash < 0 ? null : number(value.substring(0, slash));
        Decimal second = slash < 0 ? null : number(value.substring(slash + 1));
        if (first == null || second == null) {
            return false;
        }
        limit(second.whole());
        used = Math.max(used, first.ceil());
        return true;
    }

    private static @Nullable Decimal number(String text) {
        String clean = Text.clean(text);
        return clean == null ? null : Decimal.parse(clean);
    }

    private void window(long millis) {
        if (millis > 0 && window == Millis.NONE) {
            window = millis;
        }
    }

    /**
     * Reads what is no plain number, all lines of which must be known.
     *
     * @param announced the policies that the response announces; those that this quota has are taken out
     */
    void close(ResetTimeParser when, List<Policy> announced) {
        if (limits == null && lefts == null && uses == null && resets == null) {
            closeCounts(null);
            return;
        }
        String limitText = limits;
        String leftText = lefts;
        String useText = uses;
        String resetText = resets;
        if (limitText != null && limitText.contains(",0") && NumberRow.isGrouped(limitText)) {
            limitText = NumberRow.ungrouped(limitText);
            leftText = NumberRow.ungrouped(leftText);
            useText = NumberRow.ungrouped(useText);
        }
        if (limitText != null
                && (readPolicies(limitText, leftText)
                        || readRows(limitText, leftText, useText, resetText, when, announced))) {
            return;
        }
        Decimal use = useText == null || addUsedOfLimit(useText) ? null : Decimal.parse(useText);
        used = use == null ? used : Math.max(used, use.ceil());
        if (leftText != null && !addLeftOfLimit(leftText)) {
            remaining(CommaList.least(leftText));
        }
        if (resetText != null) {
            reset(CommaList.longest(resetText, member -> when.untilReset(CommaList.withoutParameters(member))));
        }
        if (limitText != null && !addUsedOfLimit(limitText)) {
            LimitValue value = LimitValue.parse(limitText);
            limit(value.limit());
            window(value.window());
            if (!value.policies().isEmpty()) {
                policies = new ArrayList<>(value.policies());
            }
        }
        closeCounts(limitText);
    }

    private void closeCounts(@Nullable String limitText) {
        if (isOfModel() && (limit == 0 || (limitText != null && limitText.charAt(0) == '-'))) {
            forgetCounts();
        }
        explainBy(policies);
        if (limit == UNKNOWN) {
            limit = burst;
        }
    }

    /** {@code 99/100}: what remains, and what was granted. */
    private boolean addLeftOfLimit(String value) {
        NumberRow row = Text.isDigit(value.charAt(0)) && value.indexOf('/') > 0 ? NumberRow.of(value) : null;
        if (row == null || row.size() != 2) {
            return false;
        }
        remaining(row.numbers().get(0).whole());
        limit(row.numbers().get(1).whole());
        return true;
    }

    /** {@code 20;w=1, 300;w=60} with {@code 19;w=1, 298;w=60}: what remains of each policy. */
    private boolean readPolicies(String limitText, @Nullable String leftText) {
        if (leftText == null || leftText.indexOf(';') < 0) {
            return false;
        }
        List<Policy> granted = LimitValue.parse(limitText).policies();
        List<Policy> left = LimitValue.parse(leftText).policies();
        if (granted.size() < 2) {
            return false;
        }
        List<Quota> told = new ArrayList<>(granted.size());
        for (Policy policy : granted) {
            Policy rest = only(left, other -> other.window() == policy.window());
            if (rest == null || policy.window() == Millis.NONE) {
                return false;
            }
            String place = policy.name() == null ? Windows.text(policy.window()) : policy.name();
            told.add(new Quota(place, policy.quota(), rest.quota(), null, duration(policy.window()), unit, null));
        }
        rows = told;
        return true;
    }

    private boolean readRows(
            String limitText,
            @Nullable String leftText,
            @Nullable String useText,
            @Nullable String resetText,
            ResetTimeParser when,
            List<Policy> announced) {
        NumberRow granted = NumberRow.of(limitText);
        NumberRow left = granted == null ? null : NumberRow.of(leftText);
        NumberRow taken = granted == null ? null : NumberRow.of(useText);
        if (granted == null) {
            return false;
        }
        boolean isAnnounced = areAnnounced(granted, announced);
        List<String> times =
                resetText == null ? List.of() : List.of(resetText.split(granted.slashed() ? "/" : ",", -1));
        boolean byUse = taken != null && taken.size() == granted.size() && left == null && remaining == UNKNOWN;
        boolean byRest = left != null && left.size() == granted.size();
        boolean byTimes = times.size() == granted.size() && (byUse || byRest) && granted.isAscending();
        boolean isRow = byUse || (byRest && (byTimes || granted.slashed()));
        boolean isOne = NumberRow.isGrouped(limitText) && !(byTimes && !NumberRow.isGrouped(resetText));
        if (!granted.hasWindows() && !(isAnnounced && (byUse || byRest)) && (!isRow || isOne || granted.hasEquals())) {
            return false;
        }
        rows = new ArrayList<>(granted.size());
        for (int i = 0; i < granted.size(); i++) {
            Policy policy = isAnnounced ? announced.get(i) : null;
            long span =
                    granted.hasWindows() ? granted.windows().get(i) : policy == null ? Millis.NONE : policy.window();
            span = span == Millis.NONE ? windows.at(i) : span;
            long amount = granted.numbers().get(i).whole();
            Decimal rest = left == null ? null : left.at(i, span);
            Decimal use = taken == null ? null : taken.at(i, span);
            long until = times.size() == granted.size()
                    ? when.untilReset(times.get(i).strip())
                    : reset;
            String base = policyName() == null ? "" : policyName() + "-";
            String place = base + (span == Millis.NONE ? String.valueOf(i + 1) : Windows.text(span));
            rows.add(new Quota(
                    policy == null || policy.name() == null ? Names.of(place) : policy.name(),
                    amount,
                    rest != null ? Long.valueOf(rest.whole()) : use == null ? null : Math.max(0, amount - use.ceil()),
                    duration(until),
                    duration(span),
                    unit,
                    null));
        }
        if (isAnnounced) {
            announced.clear();
        }
        return true;
    }

    private static boolean areAnnounced(NumberRow granted, List<Policy> announced) {
        boolean are = granted.size() == announced.size();
        for (int i = 0; are && i < granted.size(); i++) {
            are = granted.numbers().get(i).whole() == announced.get(i).quota();
        }
        return are;
    }

    /** Whether it counts what servers of language models count. */
    private boolean isOfModel() {
        return group != null && (group.contains("token") || group.contains("request"));
    }

    /**
     * Azure has -1 or 0 for limits that it does not tell, or that there are not: nothing remains of them, and nothing
     * is used up.
     */
    private void forgetCounts() {
        limit = UNKNOWN;
        remaining = remaining == 0 ? UNKNOWN : remaining;
    }

    List<Policy> policies() {
        return policies;
    }

    /**
     * Takes the policy that grants as much as the limit in force out of a list, if there is exactly one. What remains
     * may be more than the limit in force: then it is that of the only policy that can hold it.
     */
    void explainBy(List<Policy> candidates) {
        if (candidates.isEmpty()) {
            return;
        }
        if (limit != UNKNOWN && remaining > limit) {
            Policy holder = only(candidates, policy -> policy.quota() >= remaining);
            limit = holder == null ? limit : holder.quota();
        }
        Policy match = only(
                candidates, policy -> policy.quota() == limit && (window == Millis.NONE || window == policy.window()));
        if (match != null) {
            candidates.remove(match);
            window(match.window());
            name = name == null ? match.name() : name;
            partition = match.partition();
            unit = match.unit().equals(Quota.REQUESTS) ? unit : match.unit();
        }
    }

    private static @Nullable Policy only(List<Policy> policies, Predicate<Policy> is) {
        Policy found = null;
        for (Policy policy : policies) {
            if (is.test(policy)) {
                if (found != null) {
                    return null;
                }
                found = policy;
            }
        }
        return found;
    }

    /** {@return whether nothing that both tell contradicts that they tell about the same quota} */
    boolean mayBe(QuotaBuilder other) {
        return Objects.equals(group, other.group)
                && rows.isEmpty()
                && other.rows.isEmpty()
                && agree(limit, other.limit)
                && agree(remaining, other.remaining)
                && (limit != UNKNOWN || remaining != UNKNOWN || other.limit != UNKNOWN || other.remaining != UNKNOWN);
    }

    /**
     * {@return whether another, whose headers have no name of a quota, may be the rest of this only one: what remains
     * of a limit that only this one tells, or a time}
     */
    boolean hasPartIn(QuotaBuilder other) {
        boolean isPart = other.remaining == UNKNOWN || (remaining == UNKNOWN && family == other.family);
        return isPart
                && other.limit == UNKNOWN
                && limit != UNKNOWN
                && (other.remaining == UNKNOWN || other.remaining <= limit)
                && (window == Millis.NONE
                        || other.resetMillis() == Millis.NONE
                        || other.isAmbiguous()
                        || other.resetMillis() <= window)
                && unit.equals(other.unit)
                && rows.isEmpty()
                && other.rows.isEmpty();
    }

    private static boolean agree(long a, long b) {
        return a == b || a == UNKNOWN || b == UNKNOWN;
    }

    /** Learns what only the other spelling of the same quota tells. */
    void complete(QuotaBuilder other) {
        limit = limit == UNKNOWN ? other.limit : limit;
        remaining = remaining == UNKNOWN ? other.remaining : remaining;
        used = used == UNKNOWN ? other.used : used;
        rate = rate == 0 ? other.rate : rate;
        if (resetMillis() == Millis.NONE) {
            reset = other.resetMillis();
            ambiguous = other.isAmbiguous();
        }
        window(other.window);
        name = policyName() == null ? other.policyName() : name;
        policies = policies.isEmpty() ? other.policies : policies;
    }

    private long resetMillis() {
        if (resetAfter != Millis.NONE) {
            return resetAfter;
        }
        return reset != Millis.NONE ? reset : resetRepeated;
    }

    private boolean isAmbiguous() {
        return ambiguous && resetAfter == Millis.NONE;
    }

    /** A number that is far beyond the window as seconds, and within it as milliseconds, is milliseconds. */
    private void fitIntoWindow() {
        long asMillis = reset / (long) MILLIS_PER_SECOND;
        if (isAmbiguous() && reset / 2 > window && asMillis <= window && asMillis >= Millis.PER_SECOND) {
            reset = asMillis;
            ambiguous = false;
        }
    }

    private @Nullable String policyName() {
        if (group != null) {
            return Names.of(group);
        }
        if (resource != null) {
            return resource;
        }
        return bucket != null ? bucket : name;
    }

    /** Adds what is known, unless that is nothing to go by. */
    void addTo(List<Quota> quotas) {
        if (!rows.isEmpty()) {
            quotas.addAll(rows);
            return;
        }
        if (remaining == UNKNOWN && used != UNKNOWN && limit != UNKNOWN) {
            remaining = Math.max(0, limit - used);
        }
        if (each > 1 && burst >= each && rate > 0) {
            tellInCalls();
        }
        boolean tellsWhen = window != Millis.NONE || resetMillis() != Millis.NONE;
        if (rate > 0 && (remaining == UNKNOWN || (limit > 0 && !tellsWhen))) {
            announceRate();
        }
        fitIntoWindow();
        long millis = resetMillis();
        if (limit != UNKNOWN || remaining != UNKNOWN || millis != Millis.NONE) {
            quotas.add(new Quota(
                    policyName(),
                    limit == UNKNOWN ? null : limit,
                    remaining == UNKNOWN ? null : remaining,
                    duration(millis),
                    duration(window),
                    unit,
                    partition,
                    isAmbiguous()));
        }
    }

    private void tellInCalls() {
        limit = limit == UNKNOWN ? limit : limit / each;
        remaining = remaining == UNKNOWN ? remaining : remaining / each;
        rate /= each;
    }

    /** A rate is what a window grants: 20 per 2 s for 10 a second and a bucket of 20, one per 2 s for half of one. */
    private void announceRate() {
        double perMilli = rate / (window == Millis.NONE ? MILLIS_PER_SECOND : window);
        if (limit == UNKNOWN) {
            limit = Math.max(1, (long) (perMilli * MILLIS_PER_SECOND));
        }
        window = Math.max(1, Math.min(Millis.MAX, (long) Math.ceil(limit / perMilli)));
    }

    static @Nullable Duration duration(long millis) {
        return millis == Millis.NONE ? null : Duration.ofMillis(millis);
    }

    private static long stricter(long a, long b) {
        return a == UNKNOWN || b == UNKNOWN ? Math.max(a, b) : Math.min(a, b);
    }
}
