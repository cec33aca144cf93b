/** What the processes of a fleet do, whatever store they share: for the stores of this project only. */
@NullMarked
package dev.throttle.lease.fleet;

import org.jspecify.annotations.NullMarked;
