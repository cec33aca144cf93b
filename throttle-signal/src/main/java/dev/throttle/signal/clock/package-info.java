/** What a server's clock says. */
@NullMarked
package dev.throttle.signal.clock;

import org.jspecify.annotations.NullMarked;
