// README of express-slow-down, "Examples". Nothing is refused: what exceeds the limit is answered late.
import express from 'express';
import { slowDown } from 'express-slow-down';

export const cells = {
  slowdown: { windowMs: 10_000, delayAfter: 50, delayMs: (hits) => (hits - 50) * 20 },
};

export function listen(options, port, host) {
  const app = express();
  app.use(slowDown(options));
  app.use((req, res) => res.send('ok'));
  app.listen(port, host);
}
