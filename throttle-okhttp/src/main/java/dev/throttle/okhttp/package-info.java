/** Throttling for OkHttp: the interceptor to register on a client. */
@NullMarked
package dev.throttle.okhttp;

import org.jspecify.annotations.NullMarked;
