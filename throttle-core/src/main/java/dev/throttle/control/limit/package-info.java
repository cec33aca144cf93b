/** Fixed limits: what a program may send, whatever the server says. */
@NullMarked
package dev.throttle.control.limit;

import org.jspecify.annotations.NullMarked;
