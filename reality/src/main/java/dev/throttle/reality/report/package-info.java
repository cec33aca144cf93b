/** Results as a page, beside the bars that they are held to. */
@NullMarked
package dev.throttle.reality.report;

import org.jspecify.annotations.NullMarked;
