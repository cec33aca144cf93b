package dev.throttle.jdkhttp;

import static dev.throttle.jdkhttp.EquivalenceAnswers.empty;
import static dev.throttle.jdkhttp.EquivalenceAnswers.redirect;
import static dev.throttle.jdkhttp.EquivalenceAnswers.response;

import java.net.Authenticator;
import java.net.CookieManager;
import java.net.PasswordAuthentication;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;

/** Rows about statuses, methods and redirects. */
final class EquivalenceRequests {

    private static final int MANY_REDIRECTS = 8;

    private EquivalenceRequests() {}

    static void addStatuses(List<EquivalenceRow> rows) {
        for (int status : new int[] {200, 201, 206, 400, 401, 402, 403, 404, 409, 418, 429, 500, 503, 529}) {
            rows.add(new EquivalenceRow("status " + status, scene -> {
                scene.answer(response(status, "body of " + status));
                scene.get();
            }));
        }
        for (int status : new int[] {204, 304}) {
            rows.add(new EquivalenceRow("status " + status, scene -> {
                scene.answer(empty(status).build());
                scene.get();
            }));
        }
        for (String method : new String[] {"POST", "PUT", "PATCH", "DELETE", "REPORT"}) {
            rows.add(new EquivalenceRow("method " + method, scene -> {
                scene.answer(response(200, "ok"));
                scene.call(scene.request()
                        .method(method, BodyPublishers.ofString("sent"))
                        .header("Mine", "1")
                        .header("Mine", "2")
                        .build());
            }));
        }
        rows.add(new EquivalenceRow("method HEAD", scene -> {
            scene.answer(empty(200).setHeader("Content-Length", "5").build());
            scene.call(scene.request().method("HEAD", BodyPublishers.noBody()).build());
        }));
        rows.add(new EquivalenceRow("second call on a connection", scene -> {
            scene.answer(response(200, "one"), response(200, "two"));
            scene.get();
            scene.get();
        }));
    }

    static void addRedirects(List<EquivalenceRow> rows) {
        for (Redirect policy : Redirect.values()) {
            for (int status : new int[] {301, 303, 307}) {
                rows.add(new EquivalenceRow("redirect " + status + " with " + policy, scene -> {
                    scene.client(client -> client.followRedirects(policy));
                    scene.answer(redirect(status, "/there"), response(200, "there"));
                    scene.call(scene.request()
                            .POST(BodyPublishers.ofString("sent"))
                            .build());
                }));
            }
        }
        rows.add(new EquivalenceRow("redirects without end", scene -> {
            scene.client(client -> client.followRedirects(Redirect.NORMAL));
            for (int i = 0; i < MANY_REDIRECTS; i++) {
                scene.answer(redirect(302, "/" + i));
            }
            scene.get();
        }));
        rows.add(new EquivalenceRow("redirect to another name of the server", scene -> {
            scene.client(client -> client.followRedirects(Redirect.NORMAL));
            scene.answer(
                    redirect(302, "http://127.0.0.1:" + scene.server().getPort() + "/there"), response(200, "there"));
            scene.get();
        }));
        rows.add(new EquivalenceRow("redirect to nowhere", scene -> {
            scene.client(client -> client.followRedirects(Redirect.NORMAL));
            scene.answer(empty(302).build());
            scene.get();
        }));
        rows.add(new EquivalenceRow("authentication", scene -> {
            scene.client(client -> client.authenticator(new Authenticator() {
                @Override
                protected PasswordAuthentication getPasswordAuthentication() {
                    return new PasswordAuthentication("user", "secret".toCharArray());
                }
            }));
            scene.answer(
                    empty(401)
                            .addHeader("WWW-Authenticate", "Basic realm=\"r\"")
                            .build(),
                    response(200, "in"));
            scene.get();
        }));
        rows.add(new EquivalenceRow("cookies", scene -> {
            scene.client(client -> client.cookieHandler(new CookieManager()));
            scene.answer(empty(200).addHeader("Set-Cookie", "a=1").build(), response(200, "ok"));
            scene.get();
            scene.get();
        }));
    }
}
