/** Throttling for the HTTP clients of the Spring Framework. */
@NullMarked
package dev.throttle.spring;

import org.jspecify.annotations.NullMarked;
