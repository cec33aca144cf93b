/** A fleet on virtual time: the library's own, its scripts included, over a simulated store. */
@NullMarked
package dev.throttle.lab.fleet;

import org.jspecify.annotations.NullMarked;
