/** What a throttle that only observes would have done. */
@NullMarked
package dev.throttle.observe;

import org.jspecify.annotations.NullMarked;
