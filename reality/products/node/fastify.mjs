// README of @fastify/rate-limit, "Usage" and "Options".
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';

const per10s = { max: 100, timeWindow: '10 seconds' };
const per1s = { max: 20, timeWindow: '1 second' };

export const cells = {
  fastify: per10s,
  'fastify-draft': { ...per10s, enableDraftSpec: true },
  'fastify-1s': per1s,
  'fastify-cont': { ...per10s, continueExceeding: true },
  'fastify-exp': { ...per1s, exponentialBackoff: true },
  'fastify-ban': { ...per10s, ban: 5 },
};

export async function listen(options, port, host) {
  const fastify = Fastify();
  await fastify.register(rateLimit, options);
  fastify.all('/*', (request, reply) => reply.send({ hello: 'world' }));
  await fastify.listen({ port, host });
}
