/** Parsers of what headers say about limits. */
@NullMarked
package dev.throttle.signal.header;

import org.jspecify.annotations.NullMarked;
