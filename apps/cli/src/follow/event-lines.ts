import type { EventEnvelope } from '#libs/api-client';
import { assertNever } from '#libs/kernel';
import { costText, durationText, firstLineOf, oneLine, plainText } from '../terminal/format.js';
import type { ShownStage, Progress } from './progress.js';
import { type RunMeasures, type SeenEvent, seenEvent } from './seen-event.js';
import { type LineStyle, outputLines, stageLine } from './stage-line.js';

/** Kinds of nodes that are passed in an instant and have nothing to report. */
const SILENT = ['start', 'exit', 'conditional'];
/** Kinds whose notes say how branches ended. */
const JOINING = ['parallel', 'parallel.fan_in'];

/** The lines that an event adds to the display of a run; `progress` is what was known before it. */
export function eventLines(progress: Progress, envelope: EventEnvelope, style: LineStyle): string[] {
  const event = seenEvent(envelope);
  const lines = event ? linesOf(progress, event, style) : [];
  return style.verbose ? [logLine(envelope, style), ...lines] : lines;
}

function linesOf(progress: Progress, event: SeenEvent, style: LineStyle): string[] {
  const { paint } = style;
  const stage = progress.open.get(event.stage_id ?? '');
  const row = { node: stage?.name ?? event.node_id ?? '', handler: stage?.handler ?? '', detail: stage?.detail ?? '' };
  switch (event.event) {
    case 'run.created': {
      const { title, workflow } = event.properties;
      const name = workflow.slug ?? workflow.graph_name;
      return [`${paint.cyan('●')} ${event.run_id}  ${name}  ${paint.dim(oneLine(title, 80))}`];
    }
    case 'run.notice': {
      const { level, message } = event.properties;
      return [`${level === 'error' ? paint.red('✗') : paint.yellow('!')} ${plainText(message)}`];
    }
    case 'run.claimed':
      return event.properties.epoch > 1 ? [`${paint.yellow('↻')} another worker took over; the run goes on`] : [];
    case 'run.start_requested':
      return event.properties.resume ? [`${paint.cyan('●')} resumed`] : [];
    case 'run.pause.requested':
      return [`${paint.yellow('■')} pause asked for: at the end of what runs now`];
    case 'run.paused':
      return [`${paint.yellow('■')} paused`];
    case 'run.unpaused':
      return [`${paint.cyan('●')} goes on`];
    case 'run.cancel.requested':
      return [`${paint.yellow('■')} cancel requested`];
    case 'run.completed': {
      const partial = event.properties.reason === 'partial_success' ? ', in part' : '';
      return [`${paint.green('✓')} ${paint.bold(`succeeded${partial}`)}  ${measuresText(event.properties)}`];
    }
    case 'run.failed':
      return runFailed(event, style);
    case 'sandbox.failed':
      return [
        `${paint.red('✗')} the ${event.properties.provider} sandbox failed: ${plainText(event.properties.error)}`,
      ];
    case 'hook.completed': {
      const { hook_name, point, decision, reason } = event.properties;
      const because = reason === undefined ? '' : `: ${plainText(reason)}`;
      return decision === 'proceed' ? [] : [`${paint.yellow('◆')} ${point} hook ${hook_name}: ${decision}${because}`];
    }
    case 'hook.failed':
      return [
        `${paint.yellow('!')} ${event.properties.point} hook ${event.properties.hook_name}: ${plainText(event.properties.error)}`,
      ];
    case 'watchdog.timeout':
      return [`${paint.red('✗')} nothing happened for ${event.properties.idle_seconds}s`];
    case 'stage.completed': {
      if (stage && SILENT.includes(stage.handler)) return [];
      const { status, timing, notes = '' } = event.properties;
      const detail = JOINING.includes(row.handler) ? plainText(notes) : row.detail;
      const icon = status === 'succeeded' ? paint.green('✓') : paint.yellow(status === 'skipped' ? '-' : '◐');
      if (event.origin) return [stageLine({ ...row, icon: paint.dim('='), detail: copied(detail) }, style)];
      return [stageLine({ ...row, icon, wallTimeMs: wallTimeOf(stage, event.ts, timing), detail }, style)];
    }
    case 'stage.failed': {
      const { will_retry, no_retry_reason, failure, timing } = event.properties;
      if (will_retry) return [];
      if (event.origin) return [stageLine({ ...row, icon: paint.dim('='), detail: copied('failed') }, style)];
      const output = failure.exec_output_tail?.stdout;
      const detail = stage?.fault ?? firstLineOf(failure.message, Infinity);
      const wallTimeMs = wallTimeOf(stage, event.ts, timing);
      const line = stageLine({ ...row, icon: paint.red('✗'), wallTimeMs, detail }, style);
      return [
        line,
        ...(output === undefined || style.verbose ? [] : outputLines(output, style)),
        ...(no_retry_reason === undefined ? [] : [paint.dim(`    not tried again: ${plainText(no_retry_reason)}`)]),
      ];
    }
    case 'stage.retrying': {
      const { attempt, max_attempts, delay_ms } = event.properties;
      const next = `attempt ${attempt} of ${max_attempts} in ${durationText(delay_ms)}`;
      const detail = stage?.failure === undefined ? next : `${next}: ${firstLineOf(stage.failure, style.width)}`;
      return [stageLine({ ...row, icon: paint.yellow('↻'), detail }, style)];
    }
    case 'edge.selected': {
      const { from_node, to_node, condition, label, reason } = event.properties;
      const why = condition ?? label;
      const detail = why === undefined ? `→ ${to_node}` : `→ ${to_node}  (${oneLine(why, 60)})`;
      if (progress.decided !== from_node)
        return reason === 'unconditional' || event.origin ? [] : [paint.dim(`  ${detail}`)];
      return [stageLine({ ...row, handler: 'conditional', icon: paint.cyan('◆'), detail }, style)];
    }
    case 'run.runnable':
    case 'run.starting':
    case 'run.running':
    case 'run.parked':
    case 'stage.started':
    case 'stage.waiting':
    case 'parallel.branch.started':
    case 'parallel.branch.completed':
    case 'command.completed':
    case 'prompt.completed':
    case 'agent.message':
    case 'interview.started':
    case 'interview.completed':
    case 'interview.timeout':
    case 'interview.interrupted':
      return [];
    default:
      return assertNever(event);
  }
}

function runFailed({ properties }: Extract<SeenEvent, { event: 'run.failed' }>, { paint, width }: LineStyle): string[] {
  const { reason, detail } = properties.failure;
  const measures = measuresText(properties);
  if (reason === 'cancelled') return [`${paint.yellow('■')} ${paint.bold('cancelled')}  ${measures}`];
  const [message, ...causes] = [detail.message, ...(detail.causes ?? [])].map((text) => firstLineOf(text, width - 2));
  // A message names its first cause; on a narrow terminal that may have been cut off.
  const said = [message!, ...causes.filter((cause) => !message!.includes(cause))];
  return [`${paint.red('✗')} ${paint.bold(`failed: ${reason}`)}  ${measures}`, ...said.map((line) => `  ${line}`)];
}

/** Of one attempt as it was measured, of several with the waits between them. */
function wallTimeOf(stage: ShownStage | undefined, endedAt: string, timing: RunMeasures['timing']): number {
  const first = stage?.firstStartedAtMs;
  return first === undefined ? timing.wall_time_ms : Date.parse(endedAt) - first;
}

/** About a stage that was executed in another run, from which this one was forked. */
function copied(detail: string): string {
  return detail === '' ? 'copied' : `copied: ${detail}`;
}

/** Cost, if there is any, and wall time. */
function measuresText({ timing, billing }: RunMeasures): string {
  const cost = billing?.total_usd_micros;
  return [...(typeof cost === 'number' ? [costText(cost)] : []), durationText(timing.wall_time_ms)].join('  ');
}

function logLine({ seq, ts, event, node_id, properties }: EventEnvelope, { paint, width }: LineStyle): string {
  const place = typeof node_id === 'string' ? ` ${node_id}` : '';
  const line = `${seq} ${ts.slice(11, 23)} ${event}${place} ${JSON.stringify(properties ?? {})}`;
  return `  ${paint.dim(oneLine(line, width - 2))}`;
}
