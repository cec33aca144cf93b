package dev.throttle.okhttp;

import static dev.throttle.fixtures.EquivalenceRows.empty;
import static dev.throttle.fixtures.EquivalenceRows.redirect;
import static dev.throttle.fixtures.EquivalenceRows.response;

import dev.throttle.fixtures.EquivalenceRow;
import java.util.List;
import okhttp3.MediaType;
import okhttp3.RequestBody;

/** Rows about statuses that OkHttp handles itself, and redirects. */
final class EquivalenceRequests {

    private static final MediaType TEXT = MediaType.get("text/plain");
    private static final int MANY_REDIRECTS = 25;

    private EquivalenceRequests() {}

    static void addStatuses(List<EquivalenceRow<EquivalenceScene>> rows) {
        rows.add(new EquivalenceRow<>("status 304 with a body", scene -> {
            scene.answer(response(304, "body"));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("status 503 that is tried again at once by OkHttp itself", scene -> {
            scene.answer(empty(503).addHeader("Retry-After", "0").build(), response(200, "ok"));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("status 408 that is tried again by OkHttp itself", scene -> {
            scene.answer(empty(408).build(), response(200, "ok"));
            scene.get();
        }));
    }

    static void addRedirects(List<EquivalenceRow<EquivalenceScene>> rows) {
        for (int status : new int[] {301, 302, 303, 307, 308}) {
            rows.add(new EquivalenceRow<>("redirect " + status + " of GET to another host", scene -> {
                scene.answer(redirect(status, scene.url("other.test", "/there")), response(200, "there"));
                scene.call(scene.request().tag(String.class, "tag").build());
            }));
            rows.add(new EquivalenceRow<>("redirect " + status + " of POST", scene -> {
                scene.answer(redirect(status, "/there"), response(200, "there"));
                scene.call(
                        scene.request().post(RequestBody.create("sent", TEXT)).build());
            }));
        }
        rows.add(new EquivalenceRow<>("redirects without end", scene -> {
            for (int i = 0; i < MANY_REDIRECTS; i++) {
                scene.answer(redirect(302, "/" + i));
            }
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("redirect to nowhere", scene -> {
            scene.answer(empty(302).build());
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("redirect to what is no HTTP", scene -> {
            scene.answer(redirect(302, "ftp://other.test/"));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("redirect that is not followed", scene -> {
            scene.client(client -> client.followRedirects(false));
            scene.answer(redirect(302, "/there"));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("authentication", scene -> {
            scene.client(client ->
                    client.authenticator((route, response) -> response.request().header("Authorization") != null
                            ? null
                            : response.request()
                                    .newBuilder()
                                    .header("Authorization", "secret")
                                    .build()));
            scene.answer(
                    empty(401)
                            .addHeader("WWW-Authenticate", "Basic realm=\"r\"")
                            .build(),
                    response(200, "in"));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("authentication in vain", scene -> {
            scene.client(client -> client.authenticator((route, response) -> response.priorResponse() != null
                    ? null
                    : response.request()
                            .newBuilder()
                            .header("Authorization", "wrong")
                            .build()));
            scene.answer(empty(401).build(), empty(401).build());
            scene.get();
        }));
    }
}
