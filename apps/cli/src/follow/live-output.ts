import type { TextDelta } from '#libs/api-client';
import { plainText } from '../terminal/format.js';

interface Written {
  /** Characters that have come or were passed over. */
  characters: number;
  /** The last line, which may go on. */
  rest: string;
}

/** The lines that commands print, as pieces of them come. */
export class LiveOutput {
  private readonly stages = new Map<string, Written>();

  /** The lines that a piece completes; pieces that were missed leave a mark. */
  add({ node_id, stage_id, properties: { offset, delta } }: TextDelta): string[] {
    const before = offset === 0 ? undefined : this.stages.get(stage_id);
    const { characters, rest } = before ?? { characters: 0, rest: '' };
    const lines = `${rest}${offset > characters ? '…\n' : ''}${delta}`.split('\n');
    this.stages.set(stage_id, { characters: offset + delta.length, rest: lines.pop() ?? '' });
    return lines.map((line) => lineOf(node_id, line));
  }

  /** The lines of a command that has ended which were not given before; `output` is the end of all that it printed. */
  end(nodeId: string, stageId: string, output: string): string[] {
    const shown = this.stages.get(stageId);
    this.stages.delete(stageId);
    if (shown) return shown.rest === '' ? [] : [lineOf(nodeId, shown.rest)];
    const text = output.trimEnd();
    return text === '' ? [] : text.split('\n').map((line) => lineOf(nodeId, line));
  }
}

function lineOf(nodeId: string, line: string): string {
  return `  ${nodeId} │ ${plainText(line)}`;
}
