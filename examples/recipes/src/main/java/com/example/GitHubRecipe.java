package com.example;

import dev.throttle.Pool;
import dev.throttle.SharedLimit;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import okhttp3.OkHttpClient;
import org.kohsuke.github.GitHub;
import org.kohsuke.github.GitHubAbuseLimitHandler;
import org.kohsuke.github.GitHubBuilder;
import org.kohsuke.github.GitHubRateLimitHandler;
import org.kohsuke.github.extras.okhttp3.OkHttpGitHubConnector;

/** The GitHub API for Java. See docs/recipes/github.md. */
final class GitHubRecipe {

    private GitHubRecipe() {}

    static ThrottleRegistry throttles() {
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .name("github")
                .maxWait(Duration.ofHours(2))
                .limit(SharedLimit.of("github", Strategies.inFlight().limit(100).build()))
                .build();
        return throttles;
    }

    static GitHub create(ThrottleRegistry throttles, String api, String key) throws IOException {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                .keyResolver(request -> request.url().encodedPath().startsWith("/search/") ? "search" : "github")
                .build();
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        GitHub github = new GitHubBuilder()
                .withConnector(new OkHttpGitHubConnector(client))
                .withRateLimitHandler(GitHubRateLimitHandler.FAIL) // the throttle repeats what was refused
                .withAbuseLimitHandler(GitHubAbuseLimitHandler.FAIL)
                .withEndpoint(api)
                .withOAuthToken(key)
                .build();
        return github;
    }

    static GitHub installations(
            ThrottleRegistry throttles, String api, List<String> installations, Function<String, String> tokens)
            throws IOException {
        Pool pool = Pool.builder(throttles)
                .name("installations")
                .members(installations.stream().map(Pool::member).toArray(Pool.Member[]::new))
                .build();
        ThrottlingInterceptor throttling = ThrottlingInterceptor.builder(throttles)
                .pool(pool, (request, installation) -> request.newBuilder()
                        .header("Authorization", "Bearer " + tokens.apply(installation))
                        .build())
                .build();
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        GitHub github = new GitHubBuilder()
                .withConnector(new OkHttpGitHubConnector(client))
                .withRateLimitHandler(GitHubRateLimitHandler.FAIL)
                .withAbuseLimitHandler(GitHubAbuseLimitHandler.FAIL)
                .withEndpoint(api)
                .build();
        return github;
    }
}
