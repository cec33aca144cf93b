/** Placeholder of the examples. */
@NullMarked
package dev.throttle.examples;

import org.jspecify.annotations.NullMarked;
