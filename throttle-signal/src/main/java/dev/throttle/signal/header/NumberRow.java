package dev.throttle.signal.header;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Numbers side by side, each about another window: {@code 600,30000}, {@code 300/3000/12000}, {@code 20:1,100:120}.
 *
 * @param numbers the numbers
 * @param windows their windows in milliseconds; {@link Millis#NONE} where none is told
 * @param slashed whether slashes part them
 */
record NumberRow(List<Decimal> numbers, List<Long> windows, boolean slashed) {

    private static final int GROUP = 3;

    /** {@return the numbers; null if there is something else, or only one without a window} */
    static @Nullable NumberRow of(@Nullable String text) {
        if (text == null) {
            return null;
        }
        boolean slashed = text.indexOf(',') < 0 && text.indexOf('/') > 0;
        List<Decimal> numbers = new ArrayList<>();
        List<Long> windows = new ArrayList<>();
        for (String member : text.split(slashed ? "/" : ",", Text.MOST_MEMBERS + 1)) {
            int colon = member.indexOf(':');
            Decimal number = Decimal.parse(CommaList.withoutParameters(member.strip()));
            Decimal seconds = null;
            if (colon > 0) {
                number = Decimal.parse(member.substring(0, colon).strip());
                seconds = Decimal.parse(member.substring(colon + 1).strip());
            }
            if (number == null || (colon > 0 && (seconds == null || seconds.ceil() == 0))) {
                return null;
            }
            numbers.add(number);
            windows.add(seconds == null ? Millis.NONE : seconds.secondsToMillis());
        }
        boolean is = numbers.size() <= Text.MOST_MEMBERS && (numbers.size() > 1 || windows.get(0) != Millis.NONE);
        return is ? new NumberRow(numbers, windows, slashed) : null;
    }

    /** {@return whether a text may be one number with its thousands apart, such as {@code 5,000}} */
    static boolean isGrouped(@Nullable String text) {
        int comma = text == null ? -1 : text.indexOf(',');
        if (text == null || comma < 1 || comma > GROUP || (text.length() - comma) % (GROUP + 1) != 0) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            boolean isEnd = i >= comma && (i - comma) % (GROUP + 1) == 0;
            if (isEnd ? text.charAt(i) != ',' : !Text.isDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** {@return such a number as others write it} */
    static @Nullable String ungrouped(@Nullable String text) {
        return text != null && isGrouped(text) ? text.replace(",", "") : text;
    }

    /** {@return whether two of them are equal, as those that a gateway and the server behind it have sent} */
    boolean hasEquals() {
        return Set.copyOf(numbers).size() < numbers.size();
    }

    /** {@return whether each is larger than the one before it, as those of longer and longer windows} */
    boolean isAscending() {
        for (int i = 1; i < numbers.size(); i++) {
            if (numbers.get(i).whole() <= numbers.get(i - 1).whole()) {
                return false;
            }
        }
        return true;
    }

    int size() {
        return numbers.size();
    }

    boolean hasWindows() {
        return windows.get(0) != Millis.NONE;
    }

    /** {@return the number of a window, or else of a place; null if there is none} */
    @Nullable Decimal at(int place, long window) {
        int found = window == Millis.NONE || !hasWindows() ? place : windows.indexOf(window);
        return found < 0 || found >= numbers.size() ? null : numbers.get(found);
    }
}
