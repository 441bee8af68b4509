import { fileURLToPath } from 'node:url';
import type { Sandbox } from '#libs/engine';
import type { AttemptId, Json } from '#libs/kernel';
import { MAX_TOGETHER_BYTES } from './put-together.js';

const READ_MS = 30_000;
/** No system takes longer paths. */
const MAX_PATH_BYTES = 4096;
const QUOTED_BYTES = 500;

/**
 * A stage may name a file (`file:///…`) as the list that branches will go through. What it holds is read when the stage
 * ends and takes the place of its name: the run goes on with that, whatever becomes of the file. Rejects when a file
 * cannot be read or holds more than the walk reads.
 */
export async function withListsRead(
  values: Readonly<Record<string, Json>>,
  sources: ReadonlySet<string>,
  { attemptId, sandbox, signal }: { attemptId: string; sandbox: () => Promise<Sandbox>; signal: AbortSignal },
): Promise<Readonly<Record<string, Json>>> {
  const read = { ...values };
  for (const [key, value] of Object.entries(values)) {
    const path = sources.has(key) ? pathOf(value) : undefined;
    if (path === undefined) continue;
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
      throw new Error(`The for_each source "${key}" names a file by a path of more than ${MAX_PATH_BYTES} bytes.`);
    }
    const end = await (
      await sandbox()
    ).run(
      {
        attemptId: `${attemptId}/list/${key}` as AttemptId,
        script: 'cat -- "$RUNYARD_LIST_FILE"',
        language: 'shell',
        env: { RUNYARD_LIST_FILE: path },
        timeoutMs: READ_MS,
      },
      { signal },
    );
    const named = `The for_each source "${key}" names the file ${path}`;
    if (end.exitCode !== 0) throw new Error(`${named}, which cannot be read: ${await end.output.tail(QUOTED_BYTES)}`);
    if (end.output.bytes > MAX_TOGETHER_BYTES)
      throw new Error(`${named}, which is larger than ${MAX_TOGETHER_BYTES} bytes.`);
    read[key] = new TextDecoder().decode(await end.output.read());
  }
  return read;
}

function pathOf(value: Json): string | undefined {
  if (typeof value !== 'string') return undefined;
  const url = value.trim();
  if (!url.startsWith('file:///') || !URL.canParse(url)) return undefined;
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
