/** What adapters of HTTP clients need beyond the public interface. Exported to the library's own adapters only. */
@NullMarked
package dev.throttle.client;

import org.jspecify.annotations.NullMarked;
