/** What products answer to the letter, and whether the servers of the lab answer the same. */
@NullMarked
package dev.throttle.reality.answers;

import org.jspecify.annotations.NullMarked;
