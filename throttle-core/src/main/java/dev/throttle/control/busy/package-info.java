/** The requests-per-second limit that busy responses lower and time restores. */
@NullMarked
package dev.throttle.control.busy;

import org.jspecify.annotations.NullMarked;
