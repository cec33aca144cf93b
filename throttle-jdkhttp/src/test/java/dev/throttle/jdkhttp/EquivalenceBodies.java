package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.EquivalenceRows.brokenOff;
import static dev.throttle.fixtures.EquivalenceRows.response;

import dev.throttle.fixtures.EquivalenceRow;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import mockwebserver3.MockResponse;
import okhttp3.Headers;

/** Rows about bodies, of answers and of requests. */
final class EquivalenceBodies {

    private EquivalenceBodies() {}

    static void addHandlers(List<EquivalenceRow<EquivalenceScene>> rows, Path folder) {
        for (int status : new int[] {200, 403, 429}) {
            rows.add(new EquivalenceRow<>("stream of an answer with status " + status, scene -> {
                scene.answer(response(status, "0123456789".repeat(20_000)));
                scene.call(scene.request().build(), BodyHandlers.ofInputStream());
            }));
            rows.add(new EquivalenceRow<>("answer with status " + status + " that breaks off", scene -> {
                scene.answer(brokenOff(status));
                scene.call(scene.request().build(), BodyHandlers.discarding());
            }));
        }
        rows.add(new EquivalenceRow<>("lines", scene -> {
            scene.answer(response(200, "a\nb\nc"));
            scene.call(scene.request().build(), BodyHandlers.ofLines());
        }));
        rows.add(new EquivalenceRow<>("bytes", scene -> {
            scene.answer(response(200, "a\nb\nc"));
            scene.call(scene.request().build(), BodyHandlers.ofByteArray());
        }));
        rows.add(new EquivalenceRow<>("file", scene -> {
            scene.answer(response(200, "to a file"));
            Path file = folder.resolve("file");
            scene.call(scene.request().build(), BodyHandlers.ofFile(file));
            scene.log(Files.readString(file));
            Files.delete(file);
        }));
        rows.add(new EquivalenceRow<>("nothing of the body", scene -> {
            scene.answer(response(200, "dropped"));
            scene.call(scene.request().build(), BodyHandlers.discarding());
        }));
        rows.add(new EquivalenceRow<>("something else than the body", scene -> {
            scene.answer(response(200, "dropped"));
            scene.call(scene.request().build(), BodyHandlers.replacing("instead"));
        }));
        rows.add(new EquivalenceRow<>("buffered and mapped", scene -> {
            scene.answer(response(200, "some text"));
            scene.call(
                    scene.request().build(),
                    BodyHandlers.buffering(
                            info -> BodySubscribers.mapping(
                                    BodySubscribers.ofString(StandardCharsets.UTF_8), String::length),
                            3));
        }));
        rows.add(new EquivalenceRow<>("handler that throws", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().build(), info -> {
                throw new IllegalStateException("mine");
            });
        }));
        rows.add(new EquivalenceRow<>("mapping that throws", scene -> {
            scene.answer(response(200, "ok"));
            scene.call(
                    scene.request().build(),
                    info -> BodySubscribers.mapping(BodySubscribers.ofString(StandardCharsets.UTF_8), text -> {
                        throw new UncheckedIOException(new IOException("mine"));
                    }));
        }));
        rows.add(new EquivalenceRow<>("chunked answer with trailers", scene -> {
            scene.answer(new MockResponse.Builder()
                    .chunkedBody("in three chunks", 6)
                    .trailers(Headers.of("Sum", "15"))
                    .build());
            scene.get();
        }));
    }

    static void addPublishers(List<EquivalenceRow<EquivalenceScene>> rows) {
        addPublisher(rows, "bytes", () -> BodyPublishers.ofByteArray("bytes".getBytes(StandardCharsets.UTF_8), 1, 3));
        addPublisher(rows, "nothing", BodyPublishers::noBody);
        addPublisher(
                rows,
                "stream",
                () -> BodyPublishers.ofInputStream(() -> new ByteArrayInputStream("stream".getBytes())));
        addPublisher(rows, "no stream", () -> BodyPublishers.ofInputStream(() -> null));
        addPublisher(
                rows, "many arrays", () -> BodyPublishers.ofByteArrays(List.of("one".getBytes(), "two".getBytes())));
        addPublisher(
                rows,
                "another's, of known length",
                () -> BodyPublishers.fromPublisher(BodyPublishers.ofString("known"), 5));
        addPublisher(rows, "a long text", () -> BodyPublishers.ofString("0123456789".repeat(20_000)));
    }

    private static void addPublisher(
            List<EquivalenceRow<EquivalenceScene>> rows, String name, Supplier<BodyPublisher> made) {
        rows.add(new EquivalenceRow<>("body that is " + name, scene -> {
            scene.answer(response(200, "ok"));
            scene.call(scene.request().POST(made.get()).build());
            if (name.equals("no stream")) {
                scene.ignoreServer();
            }
        }));
    }
}
