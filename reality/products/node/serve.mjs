// Starts one cell: node serve.mjs CELL PORT. Without arguments it lists the cells.
// Listens on loopback only.

const modules = {
  erl: './express-rate-limit.mjs',
  rlf: './rate-limiter-flexible.mjs',
  fastify: './fastify.mjs',
  koa: './koa.mjs',
  hapi: './hapi.mjs',
  hono: './hono.mjs',
  nest: './nest.mjs',
  slowdown: './express-slow-down.mjs',
};

const [cell, port] = process.argv.slice(2);

if (cell === undefined) {
  for (const module of Object.values(modules)) {
    const { cells } = await import(module);
    console.log(Object.keys(cells).join('\n'));
  }
} else {
  const module = modules[cell.split('-')[0]];
  const { cells, listen } = module === undefined ? { cells: {} } : await import(module);
  if (!(cell in cells)) {
    console.error(`no such cell: ${cell}`);
    process.exit(2);
  }
  await listen(cells[cell], Number(port), '127.0.0.1');
}
