/** How a retry policy decides. Internal. */
@NullMarked
package dev.throttle.retry.decision;

import org.jspecify.annotations.NullMarked;
