/** The simulator: production throttles against simulated servers, on virtual time, and what is measured in it. */
@NullMarked
package dev.throttle.lab.sim;

import org.jspecify.annotations.NullMarked;
