/** Metrics for Micrometer; nothing else in the library knows it. */
@NullMarked
package dev.throttle.micrometer;

import org.jspecify.annotations.NullMarked;
