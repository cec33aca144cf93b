/** What a call costs: by its request before, by the end of its response afterwards. For adapters. */
@NullMarked
package dev.throttle.signal.usage;

import org.jspecify.annotations.NullMarked;
