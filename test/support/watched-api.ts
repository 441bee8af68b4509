import { readFileSync } from 'node:fs';
import type { ApiCaller } from './api-caller.js';

const LOOK_MS = 50;

export function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // It ended.
  }
}

export const isThere = (pid: number): boolean => residentBytes(pid) > 0;

/** The processes that one started, as far as their command line holds this text. */
export function childrenOf(pid: number, text = ''): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const children = listed === '' ? [] : listed.split(' ').map(Number);
  return children.filter((child) => commandLine(child).includes(text));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // It ended.
  }
}

/**
 * What the thread that answers requests has worked so far. While somebody waits for an answer it counts what that thread does
 * for others, and not what other processes of this machine do.
 */
function busyMs(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** The most that an API process and those it started took. */
export interface Cost {
  serverBytes: number;
  childBytes: number;
  children: number;
  /** How long somebody waited for the server's health while the server worked at something else. */
  heldMs: number;
}

/** Looks at an API process while something happens. */
export class WatchedApi {
  constructor(
    private readonly caller: ApiCaller,
    private readonly pid: number,
    /** In the command line of the processes that count. */
    private readonly text = '',
  ) {}

  async during<T>(happens: Promise<T>): Promise<Cost & { result: T }> {
    const most: Cost = { serverBytes: 0, childBytes: 0, children: 0, heldMs: 0 };
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        await this.look(most);
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    })();
    const result = await happens.finally(() => (isOver = true));
    await watching;
    return { result, ...most };
  }

  private async look(most: Cost): Promise<void> {
    const children = childrenOf(this.pid, this.text);
    most.serverBytes = Math.max(most.serverBytes, residentBytes(this.pid));
    most.childBytes = Math.max(most.childBytes, ...children.map(residentBytes));
    most.children = Math.max(most.children, children.length);
    const began = busyMs(this.pid);
    const { status } = await this.caller.send('GET', '/health');
    if (status !== 200) throw new Error(`The server answered ${status} when it was asked for its health.`);
    most.heldMs = Math.max(most.heldMs, busyMs(this.pid) - began);
  }
}
