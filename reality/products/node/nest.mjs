// README of @nestjs/throttler, "ThrottlerModule" and "Multiple Throttler Definitions". Decorators are called as functions,
// because this is not TypeScript.
import 'reflect-metadata';
import { All, Controller, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';

export const cells = {
  nest: [{ ttl: 10_000, limit: 100 }],
  'nest-named': [
    { name: 'short', ttl: 1_000, limit: 50 },
    { name: 'long', ttl: 10_000, limit: 100 },
  ],
  'nest-block': [{ ttl: 10_000, limit: 100, blockDuration: 20_000 }],
};

class AppController {
  find() {
    return 'ok';
  }
}
const find = Object.getOwnPropertyDescriptor(AppController.prototype, 'find');
All('*path')(AppController.prototype, 'find', find);
Controller()(AppController);

export async function listen(throttlers, port, host) {
  class AppModule {}
  Module({
    imports: [ThrottlerModule.forRoot(throttlers)],
    controllers: [AppController],
    providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
  })(AppModule);
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  await app.listen(port, host);
}
