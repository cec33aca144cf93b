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
        boolean plain = value.indexOf(';') < 0 && value.indexOf('"') < 0;
        int comma = value.indexOf(',');
        long limit = CommaList.least(plain || comma < 0 ? value : value.substring(0, comma));
        return new LimitValue(limit, Millis.NONE, List.of());
    }
}
