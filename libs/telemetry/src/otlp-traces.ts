import type * as Api from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { RunSpan, SpanMark } from './span.js';
import { FIRST_SPAN, spanIdOf, traceIdOf } from './trace-ids.js';

interface Library {
  api: typeof Api;
  exporter: OTLPTraceExporter;
  resource: Resource;
}

export interface OtlpOptions {
  /** Where spans are posted. */
  url: string;
  version: string;
}

/** As many as collectors take in one request without a word. */
const BATCH = 512;

/**
 * Sends the spans of runs by OTLP over HTTP. Headers, time limit, compression and the attributes of the resource come
 * from the variables of OpenTelemetry. Nothing of that library is loaded before one of these is opened.
 */
export class OtlpTraces {
  private constructor(
    private readonly library: Library,
    private readonly version: string,
  ) {}

  static async open({ url, version }: OtlpOptions): Promise<OtlpTraces> {
    const [api, { OTLPTraceExporter }, resources] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
    const { detectResources, envDetector, resourceFromAttributes } = resources;
    const own = resourceFromAttributes({ 'service.name': 'runyard', 'service.version': version });
    const resource = own.merge(detectResources({ detectors: [envDetector] }));
    return new OtlpTraces({ api, exporter: new OTLPTraceExporter({ url }), resource }, version);
  }

  /** Resolves when all were taken. Rejects when some could not be sent, after the library tried again for a while. */
  async send(tenantId: string, runId: string, spans: readonly RunSpan[]): Promise<void> {
    const readable = spans.map((span) => this.readable(tenantId, runId, span));
    for (let at = 0; at < readable.length; at += BATCH) await this.post(readable.slice(at, at + BATCH));
  }

  async close(): Promise<void> {
    await this.library.exporter.shutdown();
  }

  private post(spans: ReadableSpan[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.library.exporter.export(spans, ({ error }) => (error ? reject(error) : resolve()));
    });
  }

  private readable(tenantId: string, runId: string, span: RunSpan): ReadableSpan {
    const { api, resource } = this.library;
    const { SpanKind, SpanStatusCode, TraceFlags } = api;
    const contextOf = (traceId: string, id: Pick<RunSpan, 'seq' | 'key'>): Api.SpanContext => {
      return { traceId, spanId: spanIdOf(traceId, id), traceFlags: TraceFlags.SAMPLED };
    };
    const traceId = traceIdOf(tenantId, runId);
    const { parent } = span;
    return {
      name: span.name,
      kind: span.isCall ? SpanKind.CLIENT : SpanKind.INTERNAL,
      spanContext: () => contextOf(traceId, span),
      ...(parent && { parentSpanContext: contextOf(traceId, parent) }),
      startTime: timeOf(span.startMs),
      endTime: timeOf(span.endMs),
      duration: timeOf(span.endMs - span.startMs),
      status:
        span.error === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: span.error },
      attributes: span.attributes,
      links: span.linkedRuns.map((id): Api.Link => ({ context: contextOf(traceIdOf(tenantId, id), FIRST_SPAN) })),
      events: span.marks.map(eventOf),
      ended: true,
      resource,
      instrumentationScope: { name: 'runyard', version: this.version },
      ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
    };
  }
}

function eventOf({ name, atMs, attributes }: SpanMark): ReadableSpan['events'][number] {
  return { name, time: timeOf(atMs), attributes };
}

/** Seconds and nanoseconds. */
function timeOf(ms: number): [number, number] {
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
}
