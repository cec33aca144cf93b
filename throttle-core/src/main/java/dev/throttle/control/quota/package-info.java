/** Quota pacing, the default strategy: spends what the server says is left, neither faster nor slower. */
@NullMarked
package dev.throttle.control.quota;

import org.jspecify.annotations.NullMarked;
