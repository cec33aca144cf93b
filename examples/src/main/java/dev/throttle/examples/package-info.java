/** Programs to copy from, and the demo. */
@NullMarked
package dev.throttle.examples;

import org.jspecify.annotations.NullMarked;
