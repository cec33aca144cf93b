/** Throttling for Spring: its HTTP clients, and the auto-configuration of a Spring Boot application. */
@NullMarked
package dev.throttle.spring;

import org.jspecify.annotations.NullMarked;
