/** Reads responses: their outcome, and what their headers and bodies say about the server's limits. */
@NullMarked
package dev.throttle.signal;

import org.jspecify.annotations.NullMarked;
