@NullMarked
package dev.throttle.reality;

import org.jspecify.annotations.NullMarked;
