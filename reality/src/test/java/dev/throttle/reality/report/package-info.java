@NullMarked
package dev.throttle.reality.report;

import org.jspecify.annotations.NullMarked;
