import type { TextDelta } from '#libs/api-client';
import { bytesText, plainText } from '../terminal/format.js';

interface Written {
  /** Characters that have come or were passed over. */
  characters: number;
  /** Bytes of what has come, and a byte at least for each character that was passed over. */
  bytes: number;
  /** The end of what has come. */
  recent: string;
  /** The last line, which may go on. */
  rest: string;
}

/** How a command ended, with the end of all that it printed and the size of the whole. */
interface Completed {
  output: string;
  output_bytes?: number;
}

const NOTHING: Written = { characters: 0, bytes: 0, recent: '', rest: '' };
/** By so much it is known whether what has come ends like the output. */
const RECENT_CHARACTERS = 256;

/** The lines that commands print, as pieces of them come. What did not come is said, with its size. */
export class LiveOutput {
  private readonly stages = new Map<string, Written>();
  private readonly ended = new Set<string>();

  /** An attempt begins. */
  begin(stageId: string): void {
    this.ended.delete(stageId);
    this.stages.delete(stageId);
  }

  /** The lines that a piece completes. A piece of a command whose end was shown is late and gives none. */
  add({ node_id, stage_id, properties: { offset, delta } }: TextDelta): string[] {
    if (this.ended.has(stage_id)) return [];
    const { characters, bytes, recent, rest } = (offset > 0 && this.stages.get(stage_id)) || NOTHING;
    const missed = offset - characters;
    const lines = delta.split('\n');
    const before = missed > 0 ? linesOf(node_id, rest, notShown(missed)) : [];
    if (missed <= 0) lines[0] = rest + lines[0]!;
    this.stages.set(stage_id, {
      characters: offset + delta.length,
      bytes: bytes + Math.max(0, missed) + Buffer.byteLength(delta),
      recent: (recent + delta).slice(-RECENT_CHARACTERS),
      rest: lines.pop() ?? '',
    });
    return [...before, ...lines.map((line) => lineOf(node_id, line))];
  }

  /** The lines of a command that has ended which were not given before. */
  end(nodeId: string, stageId: string, { output, output_bytes = Buffer.byteLength(output) }: Completed): string[] {
    const { bytes, recent, rest } = this.stages.get(stageId) ?? NOTHING;
    this.stages.delete(stageId);
    this.ended.add(stageId);
    const missed = output_bytes - bytes;
    if (missed <= 0) return linesOf(nodeId, rest);
    // The end has come; what is missing was left out before it.
    if (recent !== '' && output.endsWith(recent)) return linesOf(nodeId, rest, notShown(missed));
    const tail = Buffer.from(output);
    if (missed > tail.length) return linesOf(nodeId, rest, notShown(missed - tail.length), output);
    return linesOf(nodeId, rest + tail.subarray(tail.length - missed).toString());
  }
}

function notShown(bytes: number): string {
  return `… about ${bytesText(bytes)} not shown`;
}

function linesOf(nodeId: string, ...texts: readonly string[]): string[] {
  const lines = texts.filter((text) => text !== '').flatMap((text) => text.replace(/\n$/, '').split('\n'));
  return lines.map((line) => lineOf(nodeId, line));
}

function lineOf(nodeId: string, line: string): string {
  return `  ${nodeId} │ ${plainText(line)}`;
}
