import { RunyardError } from '#libs/kernel';

/** Whether this process can do its work now. */
export abstract class ProcessReadiness {
  /** Why it cannot, in sentences; empty when it can. */
  abstract faults(): Promise<readonly string[]>;
}

export class UnreadyError extends RunyardError {
  override readonly code = 'unready';
  readonly kind = 'unavailable';

  constructor(faults: readonly string[]) {
    super(faults.join(' '));
  }
}

/** The figures of this process and of the server in the text format of Prometheus. */
export abstract class MetricsText {
  abstract text(): Promise<string>;
}

export interface AnsweredRequest {
  method: string;
  /** The pattern of the path, so that ids make no difference. */
  route: string;
  status: number;
  seconds: number;
}

/** Counts what was answered, and how long it took. */
export abstract class RequestMeter {
  abstract add(request: AnsweredRequest): void;
}
