/** The part of a terminal's or a pipe's stream that is used. */
export interface Sink {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}
