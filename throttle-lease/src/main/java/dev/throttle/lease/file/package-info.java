/** The store of a fleet on one machine: a folder with a few files, which processes lock for an instant. */
@NullMarked
package dev.throttle.lease.file;

import org.jspecify.annotations.NullMarked;
