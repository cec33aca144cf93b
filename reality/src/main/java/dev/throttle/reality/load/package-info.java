/** Clients and the load that they put on a product. */
@NullMarked
package dev.throttle.reality.load;

import org.jspecify.annotations.NullMarked;
