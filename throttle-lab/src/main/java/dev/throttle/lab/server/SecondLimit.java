package dev.throttle.lab.server;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A further limit of a server, which is full at the start. A request has to fit in both.
 *
 * @param kind how it limits
 * @param capacity requests per window
 * @param window the window
 * @param shown what the headers tell of it
 */
public record SecondLimit(ServerKind kind, long capacity, Duration window, Shown shown) {

    /** What headers tell of a second limit. */
    public enum Shown {
        /** Everything, beside the first limit, if their style is {@code ietf}. */
        ALWAYS,
        /** What is left of it in place of the first limit, if it has refused: two limiters with the same headers. */
        REFUSALS,
        /** Nothing. It shows in refusals that tell of the first limit. */
        HIDDEN
    }

    public SecondLimit {
        Preconditions.check(
                kind.isPlain(),
                "--second-limit",
                Words.of(kind),
                "any kind of server but llm and those that are more than a quota: "
                        + Arrays.stream(ServerKind.values())
                                .filter(each -> !each.isPlain() && each != ServerKind.LLM)
                                .map(Words::of)
                                .collect(Collectors.joining(", ")));
        Preconditions.between("--second-limit", capacity, 1, ServerSpec.MOST);
        Preconditions.check(!window.isZero(), "--second-limit", DurationText.format(window), "a window above zero");
    }
}
