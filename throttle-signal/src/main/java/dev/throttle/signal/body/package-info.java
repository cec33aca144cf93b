/** Recognizes refusals by the beginning of a body. */
@NullMarked
package dev.throttle.signal.body;

import org.jspecify.annotations.NullMarked;
