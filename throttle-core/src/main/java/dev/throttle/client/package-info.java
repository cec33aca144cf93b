/**
 * What the adapters of HTTP clients share. Not for users. {@link dev.throttle.client.Calls} makes the calls of one
 * throttle, {@link dev.throttle.client.KeyedCall} is one call over one or more keys,
 * {@link dev.throttle.client.Attempt} is one attempt of it, and {@link dev.throttle.client.CallLoop} runs it.
 */
@NullMarked
package dev.throttle.client;

import org.jspecify.annotations.NullMarked;
