package dev.throttle.lab.sim;

import dev.throttle.internal.Preconditions;

/**
 * Processes of another program, which sends as much as the server accepts. They are not in the figures.
 *
 * @param client what they send with
 * @param processes how many
 * @param threads how many threads each has
 */
public record Foreign(Client.Factory client, int processes, int threads) {

    private static final int MOST = 10_000;

    public Foreign {
        Preconditions.between("--beside processes", processes, 1, MOST);
        Preconditions.between("--beside threads", threads, 1, MOST);
    }
}
