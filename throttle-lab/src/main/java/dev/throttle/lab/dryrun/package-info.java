/** Reports of throttles that only observe, beside what then happens when they enforce. */
@NullMarked
package dev.throttle.lab.dryrun;

import org.jspecify.annotations.NullMarked;
