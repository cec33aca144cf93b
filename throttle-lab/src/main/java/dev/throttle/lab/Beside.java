package dev.throttle.lab;

/**
 * Another program on the same server.
 *
 * @param strategy the name of a strategy or of a peer
 * @param processes how many processes
 * @param threads how many threads each has
 */
record Beside(String strategy, int processes, int threads) {}
