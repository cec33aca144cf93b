/** The throttle: what a program that calls a rate-limited server configures, asks and reads. */
@NullMarked
package dev.throttle;

import org.jspecify.annotations.NullMarked;
