package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.example.RecipeServer.Vendor;
import com.example.RetrofitRecipe.Things;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RetrofitRecipeTest {

    /** Two exports, which count as five each, use it up. */
    private static final ThrottleRegistry.Builder LIMITED = ThrottleRegistry.builder()
            .maxWait(Duration.ofDays(1))
            .limit(Strategies.fixedWindow()
                    .limit(10)
                    .window(Duration.ofHours(1))
                    .build());

    private final Kitchen kitchen = new Kitchen(Vendor.GITHUB, request -> "[]");

    @Test
    void blocking() throws Exception {
        Things things = RetrofitRecipe.create(kitchen.throttles, kitchen.server.url());
        kitchen.tryOut("[]", () -> things.things().execute().body().string());
        kitchen.assertKey(kitchen.server.url());
    }

    @Test
    void async() throws Exception {
        Things things = RetrofitRecipe.create(kitchen.throttles, kitchen.server.url());
        kitchen.tryOut("[]", () -> kitchen.await(things.thingsAsync()).string());
        kitchen.assertKey(kitchen.server.url());
    }

    @Test
    void aTagSaysWhatACallCounts() throws Exception {
        try (Kitchen limited = new Kitchen(Vendor.GITHUB, request -> "[]", LIMITED)) {
            Things things = RetrofitRecipe.create(limited.throttles, limited.server.url());
            for (int i = 0; i < 4; i++) {
                assertEquals(200, RetrofitRecipe.export(things).execute().code());
            }
            assertEquals(4, limited.throttle().count(Outcome.SUCCESS));
            assertEquals(2, limited.waited().toHours());
        }
    }

    @AfterEach
    void close() {
        kitchen.close();
    }
}
