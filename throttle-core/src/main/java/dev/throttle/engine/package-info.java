/**
 * The machinery behind a throttle: queue, gate, controllers, decisions. Internal. Calls go downwards only: an
 * {@link dev.throttle.engine.ThrottledCall} asks the {@link dev.throttle.engine.Engine}, which asks its parts.
 */
@NullMarked
package dev.throttle.engine;

import org.jspecify.annotations.NullMarked;
