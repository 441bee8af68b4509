import { parse, type Diagnostic, type Severity } from '#libs/language';
import type { RunManifestRequest } from './dto/run-manifest.js';
import type { CompiledManifest } from './compile-manifest.js';
import type { WorkflowDiagnostic } from './dto/workflow-diagnostic.js';
import type { PreflightWorkflowSummary } from './dto/workflow-summary.js';

const MAX_DIAGNOSTICS = 1_000;
const ORDER: readonly Severity[] = ['error', 'warning', 'info'];

/** What a compilation is answered with. */
export function summarize(
  { target: { path }, workflows, goal }: RunManifestRequest,
  { graph, diagnostics, leftOut }: CompiledManifest,
): PreflightWorkflowSummary {
  const sorted = ORDER.flatMap((severity) => diagnostics.filter((found) => found.severity === severity));
  const beyond = leftOut + Math.max(0, sorted.length - MAX_DIAGNOSTICS);
  return {
    name: graph?.name ?? parse(workflows[path]!.source).tree?.name.text ?? '',
    graph_path: path,
    nodes: graph?.nodes.length ?? 0,
    edges: graph?.edges.length ?? 0,
    goal: graph?.attributes.goal ?? goal?.text ?? '',
    diagnostics: sorted.slice(0, MAX_DIAGNOSTICS).map(shown),
    ...(beyond > 0 && { diagnostics_left_out: beyond }),
  };
}

function shown({ rule, severity, message, nodeId, edge, fix, path, range, related }: Diagnostic): WorkflowDiagnostic {
  const { start, end } = range;
  return {
    rule,
    severity,
    message,
    node_id: nodeId ?? null,
    edge: edge ? [edge.from, edge.to] : null,
    fix: fix ?? null,
    source_path: path ?? null,
    line: start.line,
    column: start.column,
    span_start: start.offset,
    span_len: end.offset - start.offset,
    range,
    related: (related ?? []).map((other) => ({
      message: other.message,
      source_path: other.path ?? null,
      line: other.range.start.line,
      column: other.range.start.column,
    })),
  };
}
