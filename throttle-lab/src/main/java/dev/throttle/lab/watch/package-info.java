/** A page that shows the gauges of a running application. */
@NullMarked
package dev.throttle.lab.watch;

import org.jspecify.annotations.NullMarked;
