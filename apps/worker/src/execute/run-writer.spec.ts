import { beforeEach, describe, expect, it } from '@jest/globals';
import { LeaseLostError, type Control, type Step, type StoredState } from '#libs/engine';
import type { RunEvent, StampedEvent } from '#libs/events';
import { ObjectStoreUnavailableError } from '#libs/object-store';
import { AHeldRun, anEvent } from '../../../../test/support/a-held-run.js';
import { aStage } from '../../../../test/support/a-log.js';
import { InMemoryObjectStore } from '../../../../test/support/in-memory-object-store.js';
import { createLogger } from '#libs/server-runtime';
import { KeptValues } from '../values/kept-values.js';
import { LargeTexts } from '../values/large-texts.js';
import { RunWriter } from './run-writer.js';

const titled = (title: string): RunEvent => ({ event: 'run.title.updated', properties: { title } });
const PAUSE: RunEvent = { event: 'run.pause.requested', properties: { action: 'pause' } };

/** Puts an object when the spec lets it. */
class SlowObjectStore extends InMemoryObjectStore {
  private open = (): void => undefined;
  readonly mayPut = new Promise<void>((resolve) => (this.open = resolve));
  isAway = false;
  puts = 0;

  letPut(): void {
    this.open();
  }

  override async put(key: string, body: Uint8Array): Promise<void> {
    this.puts++;
    await this.mayPut;
    if (this.isAway) throw new ObjectStoreUnavailableError({ cause: new Error('it is away') });
    return super.put(key, body);
  }
}

let objects: SlowObjectStore;
let texts: LargeTexts;
let run: AHeldRun;
let writer: RunWriter;
let controls: Control[];
let refusals: unknown[];
/** The seq before the first append. */
let first: number;

beforeEach(async () => {
  run = await AHeldRun.of('start -> a -> exit');
  controls = [];
  refusals = [];
  first = run.claim.nextSeq - 1;
  objects = new SlowObjectStore();
  texts = new LargeTexts(new KeptValues(objects, run.key), createLogger('silent', 'test'));
  writer = new RunWriter(run.store, run.claim.lease, run.claim.nextSeq, run.walk, texts, {
    controlled: (control) => controls.push(control),
    progressed: () => undefined,
    failed: (reason) => refusals.push(reason),
  });
});

const said = (count: number): StampedEvent[] => Array.from({ length: count }, (_, n) => anEvent(titled(`own ${n}`)));
const snapshot = async (): Promise<StoredState['snapshot']> => (await run.store.load(run.key)).snapshot;
const states = (title: string): Step => run.walk.note(titled(title));

describe('an append', () => {
  it('is on its way at once, in order, and not waited for', async () => {
    writer.append(said(2));
    writer.append(said(1));
    expect(run.log).toHaveLength(first);
    expect(writer.knownSeq).toBe(first + 3);
    await writer.flushed();
    expect(run.log).toHaveLength(first + 3);
    expect(writer.knownSeq).toBe(first + 3);
  });

  it('tells the walk what others said before it, each event once', async () => {
    run.change(PAUSE);
    writer.append(said(1));
    run.change(titled('theirs'));
    writer.append(said(1));
    await writer.flushed();
    expect(run.heard).toEqual(['run.pause.requested', 'run.title.updated']);
    expect(run.walk.state.pause).toBe('requested');
    await writer.hearOthers();
    expect(run.heard).toHaveLength(2);
  });

  it('tells nothing of what its own worker said', async () => {
    writer.append(said(3));
    await writer.hearOthers();
    expect(run.heard).toEqual([]);
  });

  it('tells of a control request that waits', async () => {
    run.change(PAUSE, 'pause');
    writer.append(said(1));
    await writer.flushed();
    expect(controls).toEqual(['pause']);
  });

  it('that is refused is told once, and nothing leaves after it', async () => {
    run.runs.expireLease(run.key);
    await run.store.claim('ben', 1);
    writer.append(said(1));
    writer.append(said(1));
    await expect(writer.flushed()).rejects.toBeInstanceOf(LeaseLostError);
    writer.append(said(1));
    await expect(writer.flushed()).rejects.toBeInstanceOf(LeaseLostError);
    expect(refusals).toEqual([expect.any(LeaseLostError)]);
    expect(run.log).toHaveLength(first);
  });

  it.each([
    ['no progress without an outcome', said(1), 1],
    ['progress with one', [anEvent(aStage('a@1').completed())], 0],
  ])('is %s', async (_, events, lostEpochs) => {
    run.runs.expireLease(run.key);
    const [again] = await run.store.claim('ann', 1);
    const second = new RunWriter(run.store, again!.lease, again!.nextSeq, run.walk, texts, {
      controlled: () => undefined,
      progressed: () => undefined,
      failed: () => undefined,
    });
    second.append(events);
    await second.flushed();
    expect(run.runs.require(run.key).epochsWithoutProgress).toBe(lostEpochs);
  });
});

describe('a large text', () => {
  const LARGE = 'x'.repeat(300 * 1024);
  const asked = (text: string): StampedEvent =>
    anEvent({
      event: 'stage.prompt',
      properties: { visit: 1, text, mode: 'agent', provider: 'p', model: 'm' },
    });
  const logged = () =>
    run.runs
      .require(run.key)
      .log.slice(first)
      .map(({ envelope }) => envelope);

  it('is kept before its event leaves, and the log keeps its order', async () => {
    writer.append([anEvent(titled('one')), asked(LARGE)]);
    writer.append(said(1));
    writer.append([asked(LARGE)]);
    writer.append([anEvent(titled('last'))]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(run.log).toHaveLength(first);
    expect(writer.knownSeq).toBe(first + 5);
    objects.letPut();
    await writer.flushed();
    writer.append([anEvent(titled('after'))]);
    await writer.flushed();
    const events = logged();
    expect(events.map(({ properties }) => ('title' in properties ? properties.title : 'prompt'))).toEqual([
      ...['one', 'prompt', 'own 0', 'prompt', 'last', 'after'],
    ]);
    const { text_blob, text_bytes } = events[1]!.properties as Record<string, unknown>;
    expect(text_bytes).toBe(LARGE.length);
    expect(await new KeptValues(objects, run.key).beginning(text_blob as string, 1e7)).toBe(LARGE);
  });

  it('does not hold up a run whose object store is away', async () => {
    objects.isAway = true;
    objects.letPut();
    writer.append([asked(LARGE)]);
    await writer.flushed();
    expect(refusals).toEqual([]);
    const { properties } = logged()[0]!;
    expect(properties).toMatchObject({ text_bytes: LARGE.length });
    expect(properties).not.toHaveProperty('text_blob');
  });

  it('costs nothing where it is ordinary', async () => {
    writer.append([asked('x'.repeat(90 * 1024))]);
    await writer.flushed();
    expect(objects.puts).toBe(0);
  });
});

describe('a snapshot', () => {
  it('is the state at the seq of the append that was due for it', async () => {
    writer.append(said(199));
    await writer.flushed();
    expect(await snapshot()).toBeNull();
    writer.append(said(1));
    writer.append(said(5));
    await writer.flushed();
    expect(await snapshot()).toEqual({ seq: first + 200, state: run.walk.state });
  });

  it('is not taken over events that the walk had not heard', async () => {
    run.change(PAUSE);
    writer.append(said(200));
    await writer.flushed();
    expect(await snapshot()).toBeNull();
    expect(run.walk.state.pause).toBe('requested');
  });

  it('is not taken of a state that went on under the lock meanwhile', async () => {
    await writer.appendLocked(() => states('locked'));
    writer.append(said(200));
    await writer.flushed();
    expect((await snapshot())?.seq).toBe(first + 201);
  });
});

describe('what is decided under the lock', () => {
  it('knows everything that others said before', async () => {
    run.change(PAUSE);
    let pause: string | undefined;
    await writer.appendLocked(() => {
      pause = run.walk.state.pause;
      return states('mine');
    });
    expect(pause).toBe('requested');
    await writer.hearOthers();
    expect(run.heard).toEqual(['run.pause.requested']);
    expect(run.log.slice(first)).toEqual(['run.pause.requested', 'run.title.updated']);
    expect(writer.knownSeq).toBe(first + 2);
  });

  it('waits for what is on its way', async () => {
    writer.append(said(1));
    await writer.appendLocked(() => states('second'));
    expect(run.log).toHaveLength(first + 2);
  });
});

describe('a release', () => {
  const parked = { slot: 'parked', events: [], wakeAt: null, state: null } as const;

  it('is refused when something was said that nobody heard, and given once it was', async () => {
    writer.append(said(1));
    await writer.flushed();
    run.change(PAUSE);
    expect(await writer.release(parked)).toMatchObject({ released: false });
    expect(writer.knownSeq).toBe(first + 1);
    await writer.hearOthers();
    expect(await writer.release(parked)).toEqual({ released: true });
  });

  it('is refused when something is heard only while it waits for what is on its way', async () => {
    run.change(PAUSE);
    writer.append(said(1));
    expect(await writer.release(parked)).toMatchObject({ released: false });
    expect(run.heard).toEqual(['run.pause.requested']);
    expect(await writer.release(parked)).toEqual({ released: true });
  });

  it('ends a run whatever others said', async () => {
    run.change(PAUSE);
    run.walk.begin();
    expect(await writer.release({ ...parked, slot: 'none', events: run.walk.cancel().events })).toEqual({
      released: true,
    });
    expect(run.log.at(-1)).toBe('run.failed');
  });
});
