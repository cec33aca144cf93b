/** Rate limiters that other people wrote, as they are run, and what clients do there. */
@NullMarked
package dev.throttle.reality;

import org.jspecify.annotations.NullMarked;
