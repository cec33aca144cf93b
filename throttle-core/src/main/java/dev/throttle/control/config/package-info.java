/** Strategies by name, with their settings as text. */
@NullMarked
package dev.throttle.control.config;

import org.jspecify.annotations.NullMarked;
