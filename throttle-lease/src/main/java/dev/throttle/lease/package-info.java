/** Fixed limits that several processes keep together: permits are leased from a store and spent locally. */
@NullMarked
package dev.throttle.lease;

import org.jspecify.annotations.NullMarked;
