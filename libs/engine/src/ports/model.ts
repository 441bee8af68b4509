import type { FailureCategory, TokenBilling } from '#libs/events';
import { RunyardError, type ErrorKind, type JsonObject } from '#libs/kernel';

export interface ModelMessage {
  role: 'user' | 'assistant';
  text: string;
}

/** One question to a model, with the conversation it belongs to. */
export interface ModelRequest {
  provider: string;
  model: string;
  messages: readonly ModelMessage[];
  system?: string;
  maxTokens?: number;
  reasoningEffort?: string;
  speed?: string;
  /** What the answer has to be: a JSON object, or one of this schema. The messages say so, too. */
  format?: 'json' | { schema: JsonObject };
  /** Whether the provider itself is to see to the format: of a prompt; an agent also says other things on its way. */
  strictFormat?: boolean;
}

export interface ModelObserver {
  /** Ends the call; it then rejects. */
  signal: AbortSignal;
  /** Pieces of the answer as they come; together they are its text. */
  onText?: (piece: string) => void;
}

export interface ModelAnswer {
  text: string;
  usage: TokenBilling;
}

/** A call that brought no answer. */
export class ModelError extends RunyardError {
  override readonly code = 'model_failed';
  readonly kind: ErrorKind;

  constructor(
    message: string,
    /** Why, as routing and retries see it. */
    readonly category: FailureCategory,
    /** Whether the same call may well succeed a little later. */
    readonly retryable: boolean,
  ) {
    super(message);
    this.kind = retryable ? 'unavailable' : 'unprocessable';
  }
}

/** Whoever answers questions. An adapter speaks to one kind of provider. */
export abstract class ModelClient {
  /** Whether this provider is known and has what it needs to answer. */
  abstract serves(provider: string): boolean;

  /**
   * Asks once; nothing is repeated here. Rejects with a {@link ModelError}: one that is retryable when the provider
   * was away or overloaded, one that is not when it refused.
   */
  abstract generate(request: ModelRequest, observer: ModelObserver): Promise<ModelAnswer>;
}
