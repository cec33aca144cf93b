/** Interoperation with resilience4j; nothing else in the library knows it. */
@NullMarked
package dev.throttle.resilience4j;

import org.jspecify.annotations.NullMarked;
