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
import type { ApiAccess } from '../workspace/run-identity.js';

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
  /** Null where it is not known. */
  api: ApiAccess | null;
  workerId: string;
}
