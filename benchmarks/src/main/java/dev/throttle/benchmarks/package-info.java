/** What throttling costs: benchmarks and measurements, beside the peers' and the floors. */
@NullMarked
package dev.throttle.benchmarks;

import org.jspecify.annotations.NullMarked;
