/** A candidate for the default strategy, judged here until it is better. */
@NullMarked
package dev.throttle.lab.estimator;

import org.jspecify.annotations.NullMarked;
