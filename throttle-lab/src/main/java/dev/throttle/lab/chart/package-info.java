/** Charts as PNG files. */
@NullMarked
package dev.throttle.lab.chart;

import org.jspecify.annotations.NullMarked;
