/** What a user of the lab might bring. */
package dev.throttle.lab.own;
