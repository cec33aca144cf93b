// README of hapi-rate-limit, "Use" and "Options". By default it counts by path and by user.
import Hapi from '@hapi/hapi';
import hapiRateLimit from 'hapi-rate-limit';

const per10s = { expiresIn: 10_000 };

export const cells = {
  'hapi-path': { pathLimit: 100, pathCache: per10s, userLimit: false },
  'hapi-user': { userLimit: 100, userCache: per10s, pathLimit: false },
  'hapi-two': { pathLimit: 50, pathCache: { expiresIn: 1_000 }, userLimit: 100, userCache: per10s },
};

export async function listen(options, port, host) {
  const server = Hapi.server({ port, host });
  await server.register({ plugin: hapiRateLimit, options });
  server.route({ method: '*', path: '/{path*}', handler: () => 'ok' });
  await server.start();
}
