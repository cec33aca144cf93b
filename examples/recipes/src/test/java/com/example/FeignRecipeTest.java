package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.example.FeignRecipe.Things;
import com.example.RecipeServer.Vendor;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import feign.Feign;
import feign.FeignException;
import feign.Retryer;
import feign.http2client.Http2Client;
import java.net.http.HttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FeignRecipeTest {

    private final Kitchen kitchen = new Kitchen(Vendor.GITHUB, request -> "[]");

    @Test
    void onOkHttp() throws Exception {
        Things things = FeignRecipe.onOkHttp(kitchen.throttles, kitchen.server.url());
        kitchen.tryOut("[]", things::things);
        kitchen.assertKey(kitchen.server.url());
    }

    @Test
    void onJdk() throws Exception {
        Things things = FeignRecipe.onJdk(kitchen.throttles, kitchen.server.url());
        kitchen.tryOut("[]", things::things);
        kitchen.assertKey(kitchen.server.url());
    }

    /** What the page warns of: Feign makes a client of its own where its options are not those of the client. */
    @Test
    void theJdksClientMustHaveFeignsOptions() {
        HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(kitchen.throttles)
                .build();
        Things things = Feign.builder()
                .client(new Http2Client(client))
                .retryer(Retryer.NEVER_RETRY)
                .target(Things.class, kitchen.server.url());
        assertEquals(429, assertThrows(FeignException.class, things::things).status());
        assertEquals(0, kitchen.throttles.all().size());
    }

    @AfterEach
    void close() {
        kitchen.close();
    }
}
