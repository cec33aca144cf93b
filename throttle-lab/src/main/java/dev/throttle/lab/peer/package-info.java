/** What other libraries and most programs do on a rate-limited server, to be held against the strategies. */
@NullMarked
package dev.throttle.lab.peer;

import org.jspecify.annotations.NullMarked;
