/** The lab's command line: simulate, compare, replay, chart, serve. */
@NullMarked
package dev.throttle.lab;

import org.jspecify.annotations.NullMarked;
