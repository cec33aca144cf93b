package dev.throttle.signal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A response of the test data, with what is expected of it. */
record Vector(
        String name,
        Head head,
        long receivedAt,
        boolean throttled,
        @Nullable Long retryAfterMillis,
        List<Map<String, @Nullable Object>> policies) {

    static List<Vector> all() {
        List<Vector> vectors = new ArrayList<>();
        for (Map<String, Object> object : Json.objects("/rate-limit-headers.json")) {
            vectors.add(of(object));
        }
        return vectors;
    }

    @SuppressWarnings("unchecked")
    private static Vector of(Map<String, Object> object) {
        Map<String, Object> expected = (Map<String, Object>) object.get("expect");
        List<String> lines = new ArrayList<>();
        for (List<String> line : (List<List<String>>) object.get("headers")) {
            lines.addAll(line);
        }
        return new Vector(
                (String) object.get("name"),
                new Head(((Long) object.get("status")).intValue(), "", lines),
                (Long) object.get("receivedAt"),
                (Boolean) expected.get("throttled"),
                (Long) expected.get("retryAfterMillis"),
                (List<Map<String, @Nullable Object>>) expected.get("policies"));
    }

    @Override
    public String toString() {
        return name;
    }
}
