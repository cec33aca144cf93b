// README of rate-limiter-flexible, "RateLimiterRes object"; its wiki, "Express Middleware", "Options" (blockDuration) and
// "BurstyRateLimiter".
import express from 'express';
import { BurstyRateLimiter, RateLimiterMemory } from 'rate-limiter-flexible';

const per10s = { points: 100, duration: 10 };

const retryAfter = ({ msBeforeNext }) => ({ 'Retry-After': msBeforeNext / 1000 });
const reset = ({ msBeforeNext }) => Date.now() + msBeforeNext;
const counts = (points, { remainingPoints }) => ({
  'X-RateLimit-Limit': points,
  'X-RateLimit-Remaining': remainingPoints,
});

// What an answer tells: of the README, of older versions (a date as JavaScript prints it), and of servers that leave something out.
const readme = (points) => (res) => ({
  ...retryAfter(res),
  ...counts(points, res),
  'X-RateLimit-Reset': Math.ceil(reset(res) / 1000),
});
const date = (points) => (res) => ({
  ...retryAfter(res),
  ...counts(points, res),
  'X-RateLimit-Reset': new Date(reset(res)),
});
const dateOnly = (points) => (res) => ({ ...counts(points, res), 'X-RateLimit-Reset': new Date(reset(res)) });
const iso = (points) => (res) => ({ ...counts(points, res), 'X-RateLimit-Reset': new Date(reset(res)).toISOString() });

export const cells = {
  'rlf-readme': { limiter: new RateLimiterMemory(per10s), headers: readme(100) },
  'rlf-date': { limiter: new RateLimiterMemory(per10s), headers: date(100) },
  'rlf-dateonly': { limiter: new RateLimiterMemory(per10s), headers: dateOnly(100) },
  'rlf-iso': { limiter: new RateLimiterMemory(per10s), headers: iso(100) },
  'rlf-ra': { limiter: new RateLimiterMemory(per10s), refusedHeaders: retryAfter },
  'rlf-block': {
    limiter: new RateLimiterMemory({ points: 20, duration: 1, blockDuration: 5 }),
    refusedHeaders: retryAfter,
  },
  'rlf-bursty': {
    limiter: new BurstyRateLimiter(
      new RateLimiterMemory({ points: 10, duration: 1 }),
      new RateLimiterMemory({ keyPrefix: 'burst', points: 50, duration: 10 }),
    ),
    headers: readme(10),
  },
};

export function listen({ limiter, headers = () => ({}), refusedHeaders = headers }, port, host) {
  const app = express();
  app.use((req, res, next) => {
    limiter
      .consume(req.ip)
      .then((result) => {
        res.set(headers(result));
        next();
      })
      .catch((result) => {
        res.set(refusedHeaders(result));
        res.status(429).send('Too Many Requests');
      });
  });
  app.use((req, res) => res.send('ok'));
  app.listen(port, host);
}
