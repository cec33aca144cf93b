package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.testing.VirtualTime;
import java.util.List;
import java.util.Set;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;

class GraphQlRecipeTest {

    private static final int CALLS = 40;

    private final RecipeTime time = new RecipeTime(VirtualTime.autoAdvancing());
    private final SettledCosts settled = new SettledCosts();
    private final ThrottleRegistry throttles =
            ThrottleRegistry.builder().limit(settled).time(time).build();

    /** Forty queries take 10,000 points: ten times what the bucket holds. */
    @Test
    void shopify() throws Exception {
        try (ApiServer server = new GraphQlServer.Shopify(time)) {
            tryOut(server, GraphQlRecipe.create(throttles), "{\"query\": \"{ shop { name } }\"}", 250, 2);
        }
    }

    /** Forty queries take 360 points, which are granted in four windows. */
    @Test
    void gitHub() throws Exception {
        try (ApiServer server = new GraphQlServer.GitHub(time)) {
            tryOut(server, GraphQlRecipe.create(throttles), GraphQlRecipe.GITHUB_QUERY, 9, 1);
        }
    }

    @Test
    void besideRest() throws Exception {
        try (ApiServer server = new GraphQlServer.GitHub(time)) {
            OkHttpClient client = GraphQlRecipe.besideRest(throttles);
            GraphQlRecipe.ask(client, server.url(), GraphQlRecipe.GITHUB_QUERY);
            GraphQlRecipe.ask(client, server.url() + "/api", GraphQlRecipe.GITHUB_QUERY);
            assertEquals(
                    Set.of("graphql", "rest"),
                    Set.copyOf(throttles.all().stream()
                            .map(throttle -> throttle.snapshot().label())
                            .toList()));
        }
    }

    private void tryOut(ApiServer server, OkHttpClient client, String query, long points, int mostRefused)
            throws Exception {
        for (int i = 0; i < CALLS; i++) {
            String answer = GraphQlRecipe.ask(client, server.url(), query);
            assertTrue(answer.contains("Fine."), answer);
        }
        assertEquals(CALLS, server.accepted());
        assertTrue(server.refused() <= mostRefused, () -> "refused: " + server.refused());
        Throttle throttle = throttles.all().iterator().next();
        assertEquals(CALLS, throttle.count(Outcome.SUCCESS));
        assertEquals(server.refused(), throttle.count(Outcome.RATE_LIMITED));
        assertEquals(
                List.of(Cost.of(Quota.POINTS, points)),
                settled.all.stream().distinct().toList());
        assertTrue(throttle.snapshot().quotas().stream()
                .anyMatch(quota -> quota.unit().equals(Quota.POINTS)));
    }
}
