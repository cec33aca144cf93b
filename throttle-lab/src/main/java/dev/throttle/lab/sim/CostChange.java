package dev.throttle.lab.sim;

/**
 * The costs of calls change.
 *
 * @param call from which call of each process on, counted from 1
 * @param factor the new costs as a multiple of the first ones
 */
public record CostChange(long call, double factor) {}
