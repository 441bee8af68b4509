export interface PostgresServer {
  /** Of the maintenance database; fresh databases come from `testDatabase`. */
  readonly connectionString: string;
  readonly dataDirectory: string;
  /** Starts it again on the same data and the same port. */
  start(): Promise<void>;
  /** Ends every connection and shuts down in order. */
  stop(): Promise<void>;
  /** SIGKILL: connections break, nothing is flushed. `start` recovers it. */
  kill(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

export interface PostgresOptions {
  /** Settings besides those of all test servers, `name=value`. */
  flags?: readonly string[];
  /** Fills the data directory, instead of a new cluster. */
  fill?(dataDirectory: string): Promise<void>;
}

/** A PostgreSQL of one's own, for specs that stop or kill it. All others share one: see `testDatabase`. */
export function startPostgres(options?: PostgresOptions): Promise<PostgresServer>;

export function freePort(): Promise<number>;
