package dev.throttle.internal;

/** Marks a listener of this library that ignores idleness, which would otherwise be told to it after every call. */
public interface IgnoresIdle {}
