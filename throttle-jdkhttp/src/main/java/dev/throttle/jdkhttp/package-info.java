/** Throttling for the HTTP client of the JDK: a client that wraps a client. */
@NullMarked
package dev.throttle.jdkhttp;

import org.jspecify.annotations.NullMarked;
