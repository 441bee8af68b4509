import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { InvariantError } from '#libs/kernel';
import { RequestLog } from '../http/request-log.js';
import { isPublic, operationIdOf } from '../operations/operation.js';
import { Authenticator } from './authenticator.js';
import { type Caller } from './caller.js';
import { RoleError } from './errors.js';
import { isAtLeast, LEAST_ROLE } from '../operations/roles.js';
import { runOf, RunTokens } from './run-tokens.js';
import { sourceOf } from './wrong-tokens.js';

const callers = new WeakMap<object, Caller>();

/** Lets nobody in unless the operation is public, or the caller is known, their role is in the table and reaches, and a run stays with its own. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(RunTokens) private readonly runs: RunTokens,
    @Inject(RequestLog) private readonly log: RequestLog,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const operation = context.getHandler();
    if (isPublic(operation)) return true;

    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = await this.authenticator.callerOf(request.headers.authorization, sourceOf(request.ip));
    this.log.name(request, caller);
    const id = operationIdOf(operation) ?? '';
    const own = runOf(caller);
    if (own !== undefined) await this.runs.admit(caller, own, id, request.params as { id?: string });
    const least = LEAST_ROLE[id];
    if (!least || !isAtLeast(caller.role, least)) throw new RoleError(caller.role, least);
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
