/** The main API: throttles, their settings, and what they tell about themselves. */
@NullMarked
package dev.throttle;

import org.jspecify.annotations.NullMarked;
