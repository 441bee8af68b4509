export { OtlpTraces, type OtlpOptions } from './otlp-traces.js';
export { RunTrace } from './run-trace.js';
export { traceIdOf } from './trace-ids.js';
