import type { HandlerTable } from '#libs/engine';
import { isError } from '#libs/language';
import type { Drawings } from '../../drawing/drawings.js';
import type { RunManifestRequest } from './dto/run-manifest.js';
import type { WorkflowSettings } from './dto/settings/workflow-settings.js';
import { compileManifest, soundGraph, type CompiledManifest, type Purpose } from './compile-manifest.js';
import type { CompileTurns } from './compile-turns.js';
import { resolveSettings, type ServerDefaults } from './run-settings.js';
import type { PreflightResponse } from './dto/preflight.js';
import type { RenderWorkflowGraphRequest } from './dto/render-graph.js';
import type { ValidateResponse } from './dto/workflow-summary.js';
import { preflight } from './preflight/preflight.js';
import { summarize } from './workflow-summary.js';

const DIRECTIONS = { lr: 'LR', tb: 'TB' } as const;

/**
 * Says what a manifest comes to, and makes no run of it. Throws an `invalid` error for a manifest that nothing can be
 * said about: it contradicts itself, or its settings cannot be resolved.
 */
export class ManifestChecks {
  constructor(
    private readonly handlers: HandlerTable,
    private readonly defaults: ServerDefaults,
    private readonly drawings: Drawings,
    private readonly turns: CompileTurns,
  ) {}

  async validate(manifest: RunManifestRequest): Promise<ValidateResponse> {
    const { compiled } = await this.read(manifest, 'warning');
    return { ok: !compiled.diagnostics.some(isError), workflow: summarize(manifest, compiled) };
  }

  /** The same, held to what creating a run is held to, and whether this server could execute it. */
  async preflight(manifest: RunManifestRequest): Promise<PreflightResponse> {
    const { compiled, settings } = await this.read(manifest, 'error');
    const { handlers } = this;
    const { providers, hooksReach } = this.defaults;
    const { ok, report } = preflight({ manifest, compiled, settings, handlers, providers, hooksReach });
    return { ok, workflow: summarize(manifest, compiled), checks: report };
  }

  /** The workflow as SVG. One with errors is `invalid`, and all of them are said. */
  async draw({ manifest, direction }: RenderWorkflowGraphRequest): Promise<string> {
    const { compiled } = await this.read(manifest, 'warning');
    return this.drawings.draw(soundGraph(compiled), { direction: direction && DIRECTIONS[direction] });
  }

  private async read(
    manifest: RunManifestRequest,
    undefinedIs: Purpose['undefinedIs'],
  ): Promise<{ compiled: CompiledManifest; settings: WorkflowSettings }> {
    await this.turns.wait(manifest);
    const settings = resolveSettings(manifest, this.defaults);
    return { settings, compiled: compileManifest(manifest, { settings, undefinedIs }) };
  }
}
