package dev.throttle.signal.header;

import java.util.ArrayList;
import java.util.List;

/**
 * The value of a limit header: {@code 100}, {@code 100;w=60}, or the limit now in force followed by the policies behind
 * it, {@code 10, 10;w=1, 1000;w=3600}.
 *
 * @param limit the limit in force; -1 if it is not known
 * @param window its window in milliseconds; {@link Millis#NONE} if it is not known
 * @param policies the policies behind it
 */
record LimitValue(long limit, long window, List<Policy> policies) {

    private static final LimitValue NONE = new LimitValue(-1, Millis.NONE, List.of());

    static LimitValue parse(String value) {
        Decimal number = Decimal.parse(value);
        if (number != null) {
            return new LimitValue(number.whole(), Millis.NONE, List.of());
        }
        List<StructuredItem> items = StructuredFields.list(value);
        if (items == null) {
            return unstructured(value);
        }
        return items.isEmpty() ? NONE : structured(items);
    }

    private static LimitValue structured(List<StructuredItem> items) {
        long limit = Policy.number(items.get(0));
        long window = Millis.NONE;
        List<Policy> policies = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            StructuredItem item = items.get(i);
            Policy policy = item.text() == null ? Policy.of(item) : null;
            if (policy == null) {
                continue;
            }
            if (item.parameters().isEmpty()) {
                limit = limit < 0 ? policy.quota() : Math.min(limit, policy.quota()); // the header was sent twice
            } else if (i == 0) {
                window = policy.window();
            } else {
                Policy.add(policies, policy);
            }
        }
        return new LimitValue(limit, window, policies);
    }

    /** Numbers too large for structured fields, and limits with something unreadable behind them. */
    private static LimitValue unstructured(String value) {
        if (Text.isDigit(value.charAt(0)) && value.indexOf(',') < 0) {
            int end = endOfNumber(value);
            Decimal number = Decimal.parse(value, 0, end);
            String rest = value.substring(end).strip();
            long window =
                    Windows.ofText(rest.startsWith("/") ? rest.substring(1).strip() : inWords(rest));
            if (number != null && window != Millis.NONE) { // 100/minute, 100 per 1 hour
                return new LimitValue(number.whole(), window, List.of());
            }
            window = Windows.ofText(value);
            if (window != Millis.NONE) { // 15m: what others call the window
                return new LimitValue(-1, window, List.of());
            }
        }
        boolean plain = value.indexOf(';') < 0 && value.indexOf('"') < 0;
        int comma = value.indexOf(',');
        long limit = CommaList.least(plain || comma < 0 ? value : value.substring(0, comma));
        return new LimitValue(limit, Millis.NONE, List.of());
    }

    private static int endOfNumber(String value) {
        int end = 0;
        while (end < value.length() && (Text.isDigit(value.charAt(end)) || value.charAt(end) == '.')) {
            end++;
        }
        return end;
    }

    /** What stands behind "per". */
    private static String inWords(String rest) {
        int per = rest.lastIndexOf("per ");
        return per < 0 ? "" : rest.substring(per + "per ".length()).strip();
    }
}
