/** Makes a web site of the documents. */
@NullMarked
package dev.throttle.site;

import org.jspecify.annotations.NullMarked;
