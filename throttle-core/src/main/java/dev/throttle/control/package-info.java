/**
 * The strategies, and the interfaces for your own: they decide from the outcomes of earlier requests when the next ones
 * may be sent.
 */
@NullMarked
package dev.throttle.control;

import org.jspecify.annotations.NullMarked;
