@NullMarked
package dev.throttle.reality.maven;

import org.jspecify.annotations.NullMarked;
