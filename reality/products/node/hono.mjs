// README of hono-rate-limiter on npm, "Usage".
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import { rateLimiter } from 'hono-rate-limiter';

const per10s = { windowMs: 10_000, limit: 100, keyGenerator: (c) => getConnInfo(c).remote.address };

export const cells = {
  'hono-d6': { ...per10s, standardHeaders: 'draft-6' },
  'hono-d7': { ...per10s, standardHeaders: 'draft-7' },
};

export function listen(options, port, hostname) {
  const app = new Hono();
  app.use(rateLimiter(options));
  app.all('/*', (c) => c.text('ok'));
  serve({ fetch: app.fetch, port, hostname });
}
