import type { ApiCaller } from './api-caller.js';

/** An operation as the OpenAPI document has it. */
export interface DescribedOperation {
  operationId: string;
  method: string;
  /** With its parameters in braces. */
  path: string;
  /** Needs no credentials. */
  isPublic: boolean;
}

interface OpenApiDocument {
  paths: Record<string, Record<string, { operationId: string; security?: unknown[] }>>;
}

/** Every operation that a server says it has. */
export async function operationsOf(caller: ApiCaller): Promise<DescribedOperation[]> {
  const { body } = await caller.send<OpenApiDocument>('GET', '/api/v1/openapi.json');
  return Object.entries(body.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, security }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      isPublic: security?.length === 0,
    })),
  );
}
