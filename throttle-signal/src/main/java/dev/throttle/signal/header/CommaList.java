package dev.throttle.signal.header;

import java.util.List;
import java.util.function.ToLongFunction;

/** Values that an intermediary, or a careless server, has joined with commas. */
final class CommaList {

    private CommaList() {}

    /**
     * {@return the longest of the times in a list joined with commas, of the first {@value Text#MOST_MEMBERS} members;
     * {@link Millis#NONE} if none is understood}
     */
    static long longest(String list, ToLongFunction<String> reader) {
        long longest = Millis.NONE;
        int from = 0;
        for (int members = 0; from <= list.length() && members < Text.MOST_MEMBERS; members++) {
            int to = end(list, from);
            String member = clean(list, from, to);
            long time = Millis.NONE;
            if (to < list.length() && !member.isEmpty() && Text.isLetter(member.charAt(0))) {
                int endOfDate = end(list, to + 1); // the comma may be that of a date
                time = from == 0 && endOfDate == list.length()
                        ? Millis.NONE
                        : reader.applyAsLong(clean(list, from, endOfDate));
                to = time == Millis.NONE ? to : endOfDate;
            }
            if (time == Millis.NONE && !member.isEmpty()) {
                time = reader.applyAsLong(member);
            }
            longest = Math.max(longest, time);
            from = to + 1;
        }
        return longest;
    }

    /**
     * {@return the smallest of the numbers in a list joined with commas, rounded down and without parameters; -1 if
     * there is none}
     */
    static long least(String list) {
        Decimal only = Decimal.parse(list);
        if (only != null) {
            return only.whole();
        }
        long least = -1;
        int from = 0;
        for (int members = 0; from <= list.length(); members++) {
            if (members == Text.MOST_MEMBERS) {
                return -1;
            }
            int to = end(list, from);
            Decimal number = Decimal.parse(withoutParameters(clean(list, from, to)));
            if (number != null && (least < 0 || number.whole() < least)) {
                least = number.whole();
            }
            from = to + 1;
        }
        return least;
    }

    /** {@return what stands before the first semicolon} */
    static String withoutParameters(String member) {
        int semicolon = member.indexOf(';');
        return semicolon < 0 ? member : clean(member, 0, semicolon);
    }

    /** {@return the members without the blanks around them; none if there are too many} */
    static List<String> split(String value, String separator) {
        String[] members = value.split(separator, Text.MOST_MEMBERS + 1);
        if (members.length > Text.MOST_MEMBERS) {
            return List.of();
        }
        for (int i = 0; i < members.length; i++) {
            members[i] = members[i].strip();
        }
        return List.of(members);
    }

    private static String clean(String list, int from, int to) {
        String clean = Text.clean(list.substring(from, to));
        return clean == null ? "" : clean;
    }

    private static int end(String list, int from) {
        int comma = list.indexOf(',', from);
        return comma < 0 ? list.length() : comma;
    }
}
