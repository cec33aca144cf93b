/** What a strategy is held to: groups of scenarios with bars on their figures. */
@NullMarked
package dev.throttle.lab.bar;

import org.jspecify.annotations.NullMarked;
