/** Where failures of the server itself are written down. */
export abstract class FaultLog {
  /** Writes the whole chain of causes. Never throws. */
  abstract report(error: unknown, request: { requestId: string; method: string; route: string }): void;
}
