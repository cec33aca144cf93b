/** The published sleep strategies: how long a caller sleeps before its next request. */
@NullMarked
package dev.throttle.control.sleep;

import org.jspecify.annotations.NullMarked;
