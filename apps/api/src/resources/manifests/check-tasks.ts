import type { HandlerTable } from '#libs/engine';
import { isError, type CompileEffort } from '#libs/language';
import type { TaskInput } from './compiling/task.js';
import { subjectOf, type Subject } from '../../drawing/subject.js';
import { compileManifest, soundGraph, type CompiledManifest, type Purpose } from './compile-manifest.js';
import { resolveSettings, type ServerDefaults } from './run-settings.js';
import type { WorkflowSettings } from './dto/settings/workflow-settings.js';
import type { PreflightResponse } from './dto/preflight.js';
import type { RenderWorkflowGraphRequest } from './dto/render-graph.js';
import type { ValidateResponse } from './dto/workflow-summary.js';
import { preflight } from './preflight/preflight.js';
import { summarize } from './workflow-summary.js';

const DIRECTIONS = { lr: 'LR', tb: 'TB' } as const;

/** What {@link ManifestChecks} has manifests compiled for. */
export function checkTasks(handlers: HandlerTable) {
  return {
    validate({ manifest }: TaskInput, server: ServerDefaults, effort: CompileEffort): ValidateResponse {
      const { compiled } = read({ manifest }, server, { undefinedIs: 'warning', effort });
      return { ok: !compiled.diagnostics.some(isError), workflow: summarize(manifest, compiled) };
    },

    preflight({ manifest }: TaskInput, server: ServerDefaults, effort: CompileEffort): PreflightResponse {
      const { compiled, settings } = read({ manifest }, server, { undefinedIs: 'error', effort });
      const { providers, hooksReach } = server;
      const { ok, report } = preflight({ manifest, compiled, settings, handlers, providers, hooksReach });
      return { ok, workflow: summarize(manifest, compiled), checks: report };
    },

    picture(
      { manifest, direction }: RenderWorkflowGraphRequest,
      server: ServerDefaults,
      effort: CompileEffort,
    ): Subject {
      const { compiled } = read({ manifest }, server, { undefinedIs: 'warning', effort });
      return subjectOf(soundGraph(compiled), { direction: direction && DIRECTIONS[direction] });
    },
  };
}

function read(
  { manifest }: TaskInput,
  server: ServerDefaults,
  how: Omit<Purpose, 'settings'>,
): { compiled: CompiledManifest; settings: WorkflowSettings } {
  const settings = resolveSettings(manifest, server);
  return { settings, compiled: compileManifest(manifest, { settings, ...how }) };
}
