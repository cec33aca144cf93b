/** Whether and when a refused or failed attempt is repeated. */
@NullMarked
package dev.throttle.retry;

import org.jspecify.annotations.NullMarked;
