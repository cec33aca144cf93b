/** What a response says: its outcome, and what its headers tell about the server's limits. */
@NullMarked
package dev.throttle.signal;

import org.jspecify.annotations.NullMarked;
