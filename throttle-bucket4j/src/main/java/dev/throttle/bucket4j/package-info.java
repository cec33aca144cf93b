/** Leases of limits that Bucket4j keeps. */
@NullMarked
package dev.throttle.bucket4j;

import org.jspecify.annotations.NullMarked;
