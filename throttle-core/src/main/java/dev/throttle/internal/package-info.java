/** Helpers shared by the packages of the library; not part of its interface. */
@NullMarked
package dev.throttle.internal;

import org.jspecify.annotations.NullMarked;
