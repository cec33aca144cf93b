/** The auto-configuration of Throttle for Spring Boot. */
@NullMarked
package dev.throttle.spring.boot;

import org.jspecify.annotations.NullMarked;
