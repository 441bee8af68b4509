import { allHandlers, HandlerTable } from '#libs/engine';
import { UndiciHttpCaller } from '#libs/http-caller';
import { SystemClock } from '#libs/kernel';
import { SimulatedModel } from '#libs/llm';
import type { DriverParts } from '../../apps/worker/src/drive/driver-parts.js';
import { Failpoints } from '../../apps/worker/src/failpoints.js';
import { InMemoryEventNotices } from './in-memory-event-notices.js';
import { InMemoryObjectStore } from './in-memory-object-store.js';
import type { InMemoryRunStore } from './in-memory-run-store.js';

/** What a worker needs to drive the runs of a store, all of it in memory and without sandboxes. */
export function driverParts(store: InMemoryRunStore): DriverParts {
  const models = new SimulatedModel();
  return {
    ...{ store, models, notices: new InMemoryEventNotices(), workerId: 'ann', sandboxes: new Map(), api: null },
    http: new UndiciHttpCaller(async () => true),
    ...{ objects: new InMemoryObjectStore(), clock: new SystemClock(), failpoints: new Failpoints() },
    handlers: new HandlerTable(allHandlers(models)),
  };
}
