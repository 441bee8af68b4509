import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';

/** Bytes as the text they are, strictly: what is sent or written back must be what stood there. */
export function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CliError(`${name} is no UTF-8 text.`, exitCodes.misuse);
  }
}
