import type {
  EventNotices,
  HandlerTable,
  HttpCaller,
  ModelClient,
  ObjectStore,
  RunStore,
  SandboxProvider,
} from '#libs/engine';
import type { Clock } from '#libs/kernel';
import type { Failpoints } from '../failpoints.js';
import type { ValueMemory } from '../values/attempt-memory.js';
import type { KeptConversations } from '../values/kept-conversations.js';
import type { ApiAccess } from '../workspace/run-identity.js';
import type { StagePlaces } from '../execute/stage-places.js';

/** What a worker drives its runs with. */
export interface DriverParts {
  store: RunStore;
  objects: ObjectStore;
  handlers: HandlerTable;
  models: ModelClient;
  notices: EventNotices;
  http: HttpCaller;
  sandboxes: ReadonlyMap<string, SandboxProvider>;
  clock: Clock;
  failpoints: Failpoints;
  places: StagePlaces;
  memory: ValueMemory;
  conversations: KeptConversations;
  /** Null where it is not known. */
  api: ApiAccess | null;
  workerId: string;
}
