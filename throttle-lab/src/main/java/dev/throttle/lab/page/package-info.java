/** Pages for a browser, each of them one file. */
@NullMarked
package dev.throttle.lab.page;

import org.jspecify.annotations.NullMarked;
