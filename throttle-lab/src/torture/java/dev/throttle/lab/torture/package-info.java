/** Random calls with every kind of ending through the adapters, on real sockets, against a hostile server. */
@NullMarked
package dev.throttle.lab.torture;

import org.jspecify.annotations.NullMarked;
