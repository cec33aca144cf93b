@NullMarked
package dev.throttle.reality.load;

import org.jspecify.annotations.NullMarked;
