/** The algorithms: how long to sleep, or how many requests a second to let go, given how the last ones ended. */
@NullMarked
package dev.throttle.control;

import org.jspecify.annotations.NullMarked;
