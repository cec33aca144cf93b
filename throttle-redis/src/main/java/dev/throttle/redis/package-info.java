/** A fleet: processes that share what they learned, and limits that they keep together, by a Redis. */
@NullMarked
package dev.throttle.redis;

import org.jspecify.annotations.NullMarked;
