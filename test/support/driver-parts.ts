import { allHandlers, HandlerTable } from '#libs/engine';
import { UndiciHttpCaller } from '#libs/http-caller';
import { SystemClock } from '#libs/kernel';
import { SimulatedModel } from '#libs/llm';
import type { DriverParts } from '../../apps/worker/src/drive/driver-parts.js';
import { ValueMemory } from '../../apps/worker/src/values/attempt-memory.js';
import { Failpoints } from '../../apps/worker/src/failpoints.js';
import { KeptConversations } from '../../apps/worker/src/values/kept-conversations.js';
import { StagePlaces } from '../../apps/worker/src/execute/stage-places.js';
import { DEFAULT_WORKER_LIMITS } from '#libs/config';
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
    places: new StagePlaces(DEFAULT_WORKER_LIMITS),
    memory: new ValueMemory(DEFAULT_WORKER_LIMITS.valueMemoryBytes),
    conversations: new KeptConversations(),
  };
}
