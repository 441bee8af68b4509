import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';

/** Bytes as the text they are, strictly: what is sent or written back must be what stood there. */
export function fileTextOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const line = Buffer.from(bytes.subarray(0, firstFault(bytes)))
      .toString()
      .split('\n').length;
    throw new CliError(`${name}:${line} is no UTF-8 text.`, exitCodes.misuse, 'Save the file in the encoding UTF-8.');
  }
}

/** How many bytes stand before the first that is part of no character: what is cut there differs from what was read. */
function firstFault(bytes: Uint8Array): number {
  const again = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const at = again.findIndex((byte, index) => byte !== bytes[index]);
  return at === -1 ? bytes.length : at;
}
