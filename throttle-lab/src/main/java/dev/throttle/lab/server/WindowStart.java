package dev.throttle.lab.server;

/** When the windows of a fixed window begin. */
public enum WindowStart {
    /** One after the other, without gaps. */
    GRID,
    /**
     * With the first request after the end of the last one. Without requests there is no window. The middleware of
     * Node.js works like this: express-rate-limit 8, &#64;fastify/rate-limit 11, rate-limiter-flexible 11,
     * koa-ratelimit 6 and hono-rate-limiter.
     */
    FIRST_REQUEST
}
