/** Simulated servers: pure arithmetic on a clock that is handed in, used by the simulator and by the HTTP server. */
@NullMarked
package dev.throttle.lab.server;

import org.jspecify.annotations.NullMarked;
