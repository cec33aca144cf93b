/** Clocks, parking and the timer: nothing else in the library touches the time of the JVM. */
@NullMarked
package dev.throttle.time;

import org.jspecify.annotations.NullMarked;
