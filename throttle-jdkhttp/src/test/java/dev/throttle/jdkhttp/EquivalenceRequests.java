package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.EquivalenceRows.empty;
import static dev.throttle.fixtures.EquivalenceRows.redirect;
import static dev.throttle.fixtures.EquivalenceRows.response;

import dev.throttle.fixtures.EquivalenceRow;
import java.net.Authenticator;
import java.net.CookieManager;
import java.net.PasswordAuthentication;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;

/** Rows about redirects, authentication and cookies. */
final class EquivalenceRequests {

    private static final int MANY_REDIRECTS = 8;

    private EquivalenceRequests() {}

    static void addRedirects(List<EquivalenceRow<EquivalenceScene>> rows) {
        for (Redirect policy : Redirect.values()) {
            for (int status : new int[] {301, 303, 307}) {
                rows.add(new EquivalenceRow<>("redirect " + status + " with " + policy, scene -> {
                    scene.client(client -> client.followRedirects(policy));
                    scene.answer(redirect(status, "/there"), response(200, "there"));
                    scene.call(scene.request()
                            .POST(BodyPublishers.ofString("sent"))
                            .build());
                }));
            }
        }
        rows.add(new EquivalenceRow<>("redirects without end", scene -> {
            scene.client(client -> client.followRedirects(Redirect.NORMAL));
            for (int i = 0; i < MANY_REDIRECTS; i++) {
                scene.answer(redirect(302, "/" + i));
            }
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("redirect to another name of the server", scene -> {
            scene.client(client -> client.followRedirects(Redirect.NORMAL));
            scene.answer(
                    redirect(302, "http://127.0.0.1:" + scene.server().getPort() + "/there"), response(200, "there"));
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("redirect to nowhere", scene -> {
            scene.client(client -> client.followRedirects(Redirect.NORMAL));
            scene.answer(empty(302).build());
            scene.get();
        }));
        rows.add(new EquivalenceRow<>("authentication", scene -> {
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
        rows.add(new EquivalenceRow<>("cookies", scene -> {
            scene.client(client -> client.cookieHandler(new CookieManager()));
            scene.answer(empty(200).addHeader("Set-Cookie", "a=1").build(), response(200, "ok"));
            scene.get();
            scene.get();
        }));
    }
}
