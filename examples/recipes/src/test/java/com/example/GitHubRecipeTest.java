package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.example.RecipeServer.Vendor;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.kohsuke.github.GitHub;

class GitHubRecipeTest {

    private static final String REPOSITORY = "{\"id\": 1, \"name\": \"pots\", \"full_name\": \"cook/pots\"}";

    private final Kitchen kitchen = new Kitchen(
            Vendor.GITHUB,
            request -> request.getTarget().startsWith("/search")
                    ? "{\"total_count\": 0, \"incomplete_results\": false, \"items\": []}"
                    : REPOSITORY);

    @Test
    void repositories() throws Exception {
        GitHub github = GitHubRecipe.create(kitchen.throttles, kitchen.server.url(), "none");
        kitchen.tryOut("pots", () -> github.getRepository("cook/pots").getName());
        kitchen.assertKey("github");
    }

    @Test
    void aCallMayWaitForTheNextWindow() {
        assertTrue(GitHubRecipe.throttles().get("github").maxWait().compareTo(Duration.ofHours(1)) > 0);
    }

    @Test
    void searchesHaveALimitOfTheirOwn() throws Exception {
        GitHub github = GitHubRecipe.create(kitchen.throttles, kitchen.server.url(), "none");
        assertEquals("pots", github.getRepository("cook/pots").getName());
        assertEquals(0, github.searchRepositories().q("pans").list().getTotalCount());
        var search = kitchen.throttles.getIfPresent("search");
        assertNotNull(search);
        assertEquals(1, search.count(Outcome.SUCCESS));
    }

    @Test
    void installationsHaveQuotasOfTheirOwn() throws Exception {
        List<String> tokens = new CopyOnWriteArrayList<>();
        GitHub github = GitHubRecipe.installations(
                kitchen.throttles, kitchen.server.url(), List.of("acme", "umbrella"), installation -> {
                    tokens.add(installation);
                    return "token of " + installation;
                });
        for (int i = 0; i < 4; i++) {
            assertEquals("pots", github.getRepository("cook/pots").getName());
        }
        assertTrue(tokens.containsAll(List.of("acme", "umbrella")), tokens::toString);
        assertEquals(4, kitchen.server.accepted());
    }

    @AfterEach
    void close() {
        kitchen.close();
    }
}
