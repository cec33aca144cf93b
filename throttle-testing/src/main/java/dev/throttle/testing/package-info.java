/** For tests of programs that use Throttle: time under control, and a server with a limit. */
@NullMarked
package dev.throttle.testing;

import org.jspecify.annotations.NullMarked;
