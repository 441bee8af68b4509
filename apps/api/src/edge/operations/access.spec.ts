import { Controller, Get, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { describe, expect, it } from '@jest/globals';
import { describeApi } from '../../describe-api.js';
import { OpenRoutes } from './open-routes.js';

interface Described {
  operationId: string;
  security?: unknown[];
  'x-least-role'?: string;
  'x-run-tokens'?: string;
}

/** Every operation with the least role, and in brackets which runs it is for when the token of a run asks. */
async function matrix(): Promise<string[]> {
  const { paths } = JSON.parse(await describeApi()) as { paths: Record<string, Record<string, Described>> };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return operations.map(line).sort();
}

function line({ operationId, security, 'x-least-role': role, 'x-run-tokens': runs }: Described): string {
  const audience = security?.length === 0 ? 'everybody' : String(role);
  return `${audience}: ${operationId}${runs === undefined ? '' : ` (${runs})`}`;
}

describe('who may ask for what', () => {
  it('is this', async () => {
    expect(await matrix()).toEqual([
      'editor: batchDeleteRuns',
      'editor: deleteRun',
      'editor: pruneRuns',
      'editor: rewindRun',
      'everybody: getApiHealth',
      'everybody: getHealth',
      'everybody: getOpenApiSpec',
      'everybody: getReadiness',
      'everybody: getRoot',
      'operator: approveRun',
      'operator: archiveRun (descends)',
      'operator: batchArchiveRuns',
      'operator: batchUnarchiveRuns',
      'operator: cancelRun (descends)',
      'operator: createRun (children)',
      'operator: denyRun',
      'operator: forkRun',
      'operator: linkRunParent',
      'operator: pauseRun',
      'operator: retryRun',
      'operator: runPreflight',
      'operator: startRun (descends)',
      'operator: submitRunAnswer',
      'operator: unarchiveRun (descends)',
      'operator: unlinkRunParent',
      'operator: unpauseRun',
      'operator: updateRun',
      'viewer: attachEvents',
      'viewer: attachRunEvents',
      'viewer: checkSystem',
      'viewer: getMetrics',
      'viewer: getRunState (line)',
      'viewer: getRunTimeline',
      'viewer: getSystemDiskUsage',
      'viewer: getSystemInfo',
      'viewer: getSystemRepairRuns',
      'viewer: getSystemResources',
      'viewer: listRunEvents (line)',
      'viewer: listRunQuestions (line)',
      'viewer: listRunStages',
      'viewer: listRuns (children)',
      'viewer: renderWorkflowGraph',
      'viewer: resolveRun (children)',
      'viewer: retrieveRun (line)',
      'viewer: retrieveRunBilling',
      'viewer: retrieveRunCheckpoint',
      'viewer: retrieveRunGraph',
      'viewer: retrieveRunGraphSource',
      'viewer: retrieveRunSettings',
      'viewer: validateRunManifest',
    ]);
  });

  it('is said of every route, or the server does not start', async () => {
    @Controller()
    class Careless {
      @Get('secrets')
      secrets(): string {
        return 'all of them';
      }
    }
    @Module({ imports: [DiscoveryModule], controllers: [Careless], providers: [OpenRoutes] })
    class Server {}
    const app = await NestFactory.create(Server, new FastifyAdapter(), { logger: false, abortOnError: false });
    await expect(app.init()).rejects.toThrow('Careless.secrets is a route without @Operation');
    await app.close();
  });
});
