/** Products that Maven brings, each a program of its own. */
@NullMarked
package dev.throttle.reality.maven;

import org.jspecify.annotations.NullMarked;
