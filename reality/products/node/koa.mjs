// README of koa-ratelimit, "With a memory driver", with the names of headers it has by default.
import Koa from 'koa';
import ratelimit from 'koa-ratelimit';

export const cells = {
  koa: { duration: 10_000, max: 100 },
  'koa-1s': { duration: 1_000, max: 20 },
};

export function listen(options, port, host) {
  const app = new Koa();
  app.use(ratelimit({ driver: 'memory', db: new Map(), id: (ctx) => ctx.ip, ...options }));
  app.use(async (ctx) => {
    ctx.body = 'Stuff!';
  });
  app.listen(port, host);
}
