import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { InvariantError } from '#libs/kernel';
import { audienceOf } from './operation.js';

/** Where Nest keeps the path of a method that is a route. */
const PATH = 'path';

/** Stops the boot where a route does not say who may ask for it. */
@Injectable()
export class OpenRoutes implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      const prototype = metatype?.prototype as Record<string, object> | undefined;
      for (const name of this.scanner.getAllMethodNames(prototype ?? null)) {
        const method = prototype![name]!;
        if (!Reflect.hasMetadata(PATH, method) || audienceOf(method)) continue;
        throw new InvariantError(`${metatype!.name}.${name} is a route without @Operation: it is for nobody.`);
      }
    }
  }
}
