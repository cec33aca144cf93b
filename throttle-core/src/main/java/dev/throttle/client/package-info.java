/** What the adapters of HTTP clients share: one call over one or more keys. Not for users. */
@NullMarked
package dev.throttle.client;

import org.jspecify.annotations.NullMarked;
