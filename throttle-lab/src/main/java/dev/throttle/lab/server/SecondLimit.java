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
 * @param told whether the headers of the style {@code ietf} tell it; otherwise it shows in refusals alone
 */
public record SecondLimit(ServerKind kind, long capacity, Duration window, boolean told) {

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
