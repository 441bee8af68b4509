import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { InvariantError } from '#libs/kernel';
import { RequestLog } from '../http/request-log.js';
import { audienceOf } from '../operations/operation.js';
import { Authenticator } from './authenticator.js';
import { type Caller } from './caller.js';
import { RoleError } from './errors.js';
import { isAtLeast } from '../operations/roles.js';
import { runOf, RunTokens } from './run-tokens.js';
import { sourceOf } from './wrong-tokens.js';

const callers = new WeakMap<object, Caller>();

/**
 * Lets nobody in unless the operation is for everybody, or the caller is known, has the role that it asks for, and, where
 * a run speaks for itself, stays with its own. What does not say who may ask for it is for nobody.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(RunTokens) private readonly runs: RunTokens,
    @Inject(RequestLog) private readonly log: RequestLog,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const audience = audienceOf(context.getHandler());
    if (audience === 'everybody') return true;

    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = await this.authenticator.callerOf(request.headers.authorization, sourceOf(request.ip));
    this.log.name(request, caller);
    const own = runOf(caller);
    if (own !== undefined) await this.runs.admit(caller, own, audience?.runTokens, request.params as { id?: string });
    if (!audience || !isAtLeast(caller.role, audience.role)) throw new RoleError(caller.role, audience?.role);
    callers.set(request, caller);
    return true;
  }
}

/** The caller of a guarded operation. */
export const From = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const caller = callers.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (!caller) throw new InvariantError('A public operation has no caller.');
  return caller;
});
