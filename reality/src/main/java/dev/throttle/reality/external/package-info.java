/** Products that npm and Debian bring. */
@NullMarked
package dev.throttle.reality.external;

import org.jspecify.annotations.NullMarked;
