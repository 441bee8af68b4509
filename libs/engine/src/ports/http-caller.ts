export interface HttpCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Whether the certificate of the other side must be one that this machine trusts. */
  verifiesTls: boolean;
  /** For everything together: name, connection, answer. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  /** The first 64 KiB, as text. */
  body: string;
}

/** Calls servers outside in the name of a run. */
export abstract class HttpCaller {
  /** POSTs once and follows no redirect. Rejects when there is no answer: no connection, no time left, aborted. */
  abstract post(call: HttpCall): Promise<HttpAnswer>;
}
