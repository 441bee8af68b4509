import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { encodeEvent, stamp, withSeq, type RunEvent } from '#libs/events';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { OtlpTraces, traceIdOf } from '#libs/telemetry';
import { aStage, created, runCompleted } from '../../../test/support/a-log.js';
import { otlpReceiver, type OtlpReceiver } from '../../../test/support/otlp-receiver.js';
import { until } from '../../../test/support/until.js';
import { createLogger } from './logger.js';
import { TraceKeeper } from './trace-keeper.js';

const run = { tenantId: DEFAULT_TENANT, runId: '01J0000000000000000000000A' as RunId };
const build = aStage('build@1');
const LOG = bodiesOf(created(), build.started(), build.completed(), runCompleted());

let receiver: OtlpReceiver;
let keeper: TraceKeeper;
let stored: string[];
let lines: Record<string, unknown>[];
beforeEach(async () => {
  [stored, lines] = [LOG, []];
  receiver = await otlpReceiver();
  const log = createLogger('info', 'test', { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });
  const traces = await OtlpTraces.open({ url: receiver.url, version: '1.2.3' });
  keeper = new TraceKeeper(
    traces,
    async (_, from, limit, to = Infinity) => page(from, Math.min(from + limit, to)),
    log,
  );
});
afterEach(async () => {
  await keeper.close();
  await receiver.close();
});

function bodiesOf(...events: RunEvent[]): string[] {
  return events.map((event, n) => encodeEvent(run.runId, stamp(event, n * 1_000)).body);
}

function page(from: number, to: number) {
  return stored.slice(from - 1, to - 1).map((body, n) => {
    return { seq: from + n, json: withSeq(from + n, body), terminal: from + n === LOG.length };
  });
}

const grown = (toSeq: number) => ({ ...run, toSeq, bodies: stored.slice(toSeq - 1, toSeq) });

it('posts the spans of a run when it has ended, and not before', async () => {
  for (const toSeq of [1, 2, 3, 4]) keeper.note(grown(toSeq));
  await until(() => receiver.spans.length > 0, 'the collector got spans');
  const [attempt, stage, root, ...others] = receiver.spans;
  expect([attempt, stage, root].map((span) => span?.name)).toEqual(['attempt 1', 'build', 'run ship']);
  expect(others).toEqual([]);
  expect([attempt?.parentSpanId, stage?.parentSpanId]).toEqual([stage?.spanId, root?.spanId]);
  expect(root).toMatchObject({ traceId: traceIdOf(run.tenantId, run.runId) });
  expect(root).not.toHaveProperty('parentSpanId');
  expect(receiver.sent[0]!.resourceSpans[0]!.resource.attributes).toEqual(
    expect.arrayContaining([
      { key: 'service.name', value: { stringValue: 'runyard' } },
      { key: 'service.version', value: { stringValue: '1.2.3' } },
    ]),
  );
});

it('tells a run twice under the same ids', async () => {
  keeper.note(grown(4));
  keeper.note(grown(4));
  await until(() => receiver.spans.length === 6, 'the collector got spans twice');
  const ids = receiver.spans.map(({ spanId }) => spanId);
  expect(ids.slice(0, 3)).toEqual(ids.slice(3));
});

it('gives up what the collector refuses, says so under the run, and goes on', async () => {
  receiver.status = 400;
  keeper.note(grown(4));
  await until(() => lines.length > 0, 'the refusal is logged');
  expect(lines).toEqual([expect.objectContaining({ level: 40, run: run.runId, tenant: run.tenantId })]);
  receiver.status = 200;
  keeper.note(grown(4));
  await until(() => receiver.spans.length === 3, 'the next trace arrived');
});

it('tells nothing of a run that was removed, or of a value that looks like an end', async () => {
  stored = bodiesOf(created(), { event: 'context.edited', properties: { values: { a: { event: 'run.completed' } } } });
  keeper.note(grown(2));
  stored = [];
  keeper.note({ ...run, toSeq: 4, bodies: LOG });
  await keeper.close();
  expect([receiver.spans, lines]).toEqual([[], []]);
});
