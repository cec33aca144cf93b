// README of express-rate-limit, "Usage". Its windows are of 15 minutes; these are of 10 s.
import express from 'express';
import { rateLimit } from 'express-rate-limit';

const per10s = { windowMs: 10_000, limit: 100, legacyHeaders: false };
const per1s = { windowMs: 1_000, limit: 20, legacyHeaders: false };
const fifty = { windowMs: 1_000, limit: 50, legacyHeaders: false };

// Each cell is a list of limiters, through which a request goes one after the other.
export const cells = {
  'erl-d6': [{ ...per10s, standardHeaders: 'draft-6' }],
  'erl-d7': [{ ...per10s, standardHeaders: 'draft-7' }],
  'erl-d8': [{ ...per10s, standardHeaders: 'draft-8' }],
  'erl-legacy': [{ ...per10s, standardHeaders: false, legacyHeaders: true }],
  'erl-none': [{ ...per10s, standardHeaders: false }],
  'erl-both': [{ ...per10s, standardHeaders: 'draft-6', legacyHeaders: true }],
  'erl-1s': [{ ...per1s, standardHeaders: 'draft-7' }],
  'erl-1s-leg': [{ ...per1s, standardHeaders: false, legacyHeaders: true }],
  'erl-60s': [{ ...per10s, windowMs: 60_000, standardHeaders: 'draft-7' }],
  'erl-two': [
    { ...fifty, standardHeaders: 'draft-8' },
    { ...per10s, standardHeaders: 'draft-8' },
  ],
  'erl-two-d6': [
    { ...fifty, standardHeaders: 'draft-6' },
    { ...per10s, standardHeaders: 'draft-6' },
  ],
  'erl-two-legacy': [
    { ...fifty, standardHeaders: false, legacyHeaders: true },
    { ...per10s, standardHeaders: false, legacyHeaders: true },
  ],
  'erl-503': [{ ...per10s, standardHeaders: 'draft-7', statusCode: 503 }],
};

export function listen(limiters, port, host) {
  const app = express();
  for (const limiter of limiters) {
    app.use(rateLimit(limiter));
  }
  app.use((req, res) => res.send('ok'));
  app.listen(port, host);
}
