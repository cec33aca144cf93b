/** Limits of requests in flight that learn, by Netflix's concurrency-limits; nothing else in the library knows it. */
@NullMarked
package dev.throttle.concurrencylimits;

import org.jspecify.annotations.NullMarked;
