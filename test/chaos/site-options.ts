import type { Build } from '../support/standalone.js';
import type { SignalPoint } from '../support/worker-process.js';

export interface SiteOptions {
  build: Build;
  apis?: number;
  workers?: number;
  /** Runs that each worker drives at once. */
  slots?: number;
  /** Runs that may execute at once. */
  limit?: number;
  /** Whether processes reach PostgreSQL and Redis through proxies. */
  proxied?: boolean;
  /** Whether a bucket behind a proxy keeps the objects, instead of a disk. */
  bucket?: boolean;
  /** Settings of PostgreSQL, `name=value`. */
  postgresFlags?: readonly string[];
  /** More variables for the process of this place. */
  surroundings?: (app: 'api' | 'worker', place: number) => NodeJS.ProcessEnv;
  /** Prepares the state directory before anybody uses it; what it returns undoes that. */
  prepare?: (home: string) => Promise<() => Promise<void>>;
  /** What the process of this place runs when it is started, if not the build. */
  buildOf?: (app: 'api' | 'worker', place: number) => Build;
  /** Where the worker of this place dies when it is started; it lives on when there is no such point. */
  dyingAt?: (place: number) => SignalPoint | undefined;
}
