import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  LeaseLostError,
  type ClaimedRun,
  type Control,
  type DriveFault,
  type Lease,
  type RunKey,
  type RunStore,
} from '#libs/engine';
import type { StampedEvent } from '#libs/events';
import { DEFAULT_TENANT, newUlid, type RunId } from '#libs/kernel';
import { Database, encodeDefinition, PgRunStore, Slots } from '#libs/persistence';
import { aStage } from '../support/a-log.js';
import { InMemoryRuns, InMemoryRunStore } from '../support/in-memory-run-store.js';
import { LossyWire } from '../support/lossy-wire.js';
import {
  aNewRun,
  aNotice,
  anEvent,
  aSpec,
  expireLease,
  firstEvents,
  runDatabase,
  started,
  storedLog,
  theEnd,
  type LoggedEvent,
} from '../support/run-database.js';

/** What the contract needs to know of the world around a store. */
interface World {
  /** Each call is another worker. */
  store(owner: string): RunStore;
  /** The same, of a worker that loses the reply to a claim when it is told to. */
  losing(owner: string): Promise<{ store: RunStore; loseClaim(): void }>;
  /** A started run that holds a slot and has no worker: its log has five events. */
  heldRun(): Promise<RunKey>;
  /** An append that no worker makes. */
  change(run: RunKey, events: readonly StampedEvent[], control?: Control): Promise<void>;
  /** Ends a lease as time would. */
  expire(run: RunKey): Promise<void>;
  log(run: RunKey): Promise<LoggedEvent[]>;
  standing(run: RunKey): Promise<Standing>;
  /** Gives a parked run a slot, as its moment would. */
  wake(run: RunKey): Promise<void>;
  close(): Promise<void>;
}

/** Where a run stands with the scheduler. */
interface Standing {
  slot: string;
  wakeInMs: number | null;
  isDead: boolean;
  fault: string | null;
}

async function onPostgres(): Promise<World> {
  const db = await runDatabase(12);
  await db.sql('UPDATE scheduler SET max_concurrent_runs = 10000');
  const ledger = db.ledger();
  const slots = new Slots(db.database, db.signals, db.clock);
  const { wire, connectionString } = await LossyWire.to(db.connectionString);
  const wired = new Database({ connectionString, maxConnections: 2, applicationName: 'wired' });
  return {
    store: (owner) => db.store(owner),
    losing: async (owner) => ({
      store: new PgRunStore(wired, wired, owner, db.signals, db.clock),
      loseClaim: () => wire.lose('reply', 'claim-hinted'),
    }),
    heldRun: async () => (await started(ledger, [aNewRun()]))[0]!,
    change: (run, events, pendingControl) =>
      ledger.changeBy(run, async () => ({ events, ...(pendingControl && { pendingControl }) })),
    expire: (run) => expireLease(db, run),
    log: (run) => storedLog(db, run),
    async standing({ tenantId, runId }) {
      const [row] = await db.sql<Standing>(
        `SELECT slot, (extract(epoch FROM wake_at - clock_timestamp()) * 1000)::float8 AS "wakeInMs",
                status = 'dead' AS "isDead", fault FROM run_heads WHERE tenant_id = $1 AND run_id = $2`,
        [tenantId, runId],
      );
      return row!;
    },
    async wake({ tenantId, runId }) {
      await db.sql('UPDATE run_heads SET wake_at = now() WHERE tenant_id = $1 AND run_id = $2', [tenantId, runId]);
      await slots.wakeAndPromote();
    },
    async close() {
      await wired.close();
      wire.close();
      await db.close();
    },
  };
}

async function inMemory(): Promise<World> {
  const runs = new InMemoryRuns();
  const { sha256 } = encodeDefinition(JSON.stringify(aSpec));
  return {
    store: () => new InMemoryRunStore(runs),
    async losing() {
      const store = new InMemoryRunStore(runs);
      return { store, loseClaim: () => store.loseNextClaim() };
    },
    async heldRun() {
      const run = { tenantId: DEFAULT_TENANT, runId: newUlid(Date.now()) as RunId };
      runs.submit(run, aSpec, sha256, firstEvents('A run', 'manifest', sha256));
      runs.start(run);
      return run;
    },
    change: async (run, events, control) => runs.change(run, events, control),
    expire: async (run) => runs.expireLease(run),
    log: async (run) => runs.log(run),
    standing: async (run) => runs.standing(run),
    wake: async (run) => runs.wake(run),
    close: async () => undefined,
  };
}

const FIRST = 6;
const parked = { slot: 'parked', events: [], wakeAt: null, state: null } as const;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const one = (message = 'a') => ({ events: [aNotice(message)] });
const anOutcome = () => anEvent(aStage('a@1').completed());
const anAnswer = () =>
  anEvent({
    event: 'interview.completed',
    properties: { question_id: 'q', question: 'Go?', answer: 'yes', given: { kind: 'yes' }, duration_ms: 1 },
  });
const ending = () => [anEvent({ event: 'run.running', properties: {} }), theEnd()];
const seqs = (log: readonly LoggedEvent[]) => log.map(({ seq }) => seq);
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

async function claimed(store: RunStore, owner: string, run: RunKey): Promise<ClaimedRun> {
  const [claim] = await store.claim(owner, 1, [run]);
  if (!claim) throw new Error(`${owner} did not get run ${run.runId}.`);
  return claim;
}

describe.each([
  { where: 'on PostgreSQL', open: onPostgres },
  { where: 'in memory', open: inMemory },
])('A run store $where', ({ open }) => {
  let world: World;
  let store: RunStore;
  beforeAll(async () => {
    world = await open();
    store = world.store('ann');
  });
  afterAll(() => world.close());

  const driven = async (): Promise<Lease> => (await claimed(store, 'ann', await world.heldRun())).lease;

  describe('claim', () => {
    it('has one winner among eight', async () => {
      const run = await world.heldRun();
      const owners = upTo(8).map((n) => `worker-${n}`);
      const claims = await Promise.all(owners.map((owner) => world.store(owner).claim(owner, 1, [run])));
      expect(claims.map(({ length }) => length).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    });

    it('shares many runs without giving one twice', async () => {
      const runs = await Promise.all(upTo(24).map(() => world.heldRun()));
      const owners = upTo(4).map((n) => `sharer-${n}`);
      const claims = await Promise.all(owners.map((owner) => world.store(owner).claim(owner, 10, runs)));
      const rest = await store.claim('ann', 100, runs);
      const ids = [...claims.flat(), ...rest].map(({ lease }) => lease.runId);
      expect(ids.sort()).toEqual(runs.map(({ runId }) => runId).sort());
      expect(Math.max(...claims.map(({ length }) => length))).toBeLessThanOrEqual(10);
    });

    it('tells what the worker needs to begin', async () => {
      const run = await world.heldRun();
      const { specSha256, sourceDirectory: _, ...claim } = await claimed(store, 'ann', run);
      expect(claim).toEqual({
        bornAt: expect.stringMatching(/^20\d\d-.*Z$/),
        lease: { ...run, owner: 'ann', epoch: 1 },
        nextSeq: FIRST,
        wasLost: false,
        epochsWithoutProgress: 0,
        pendingControl: null,
        sandboxProvider: 'local',
      });
      expect(await store.spec(run, specSha256)).toEqual(aSpec);
    });

    it('takes the run that was promoted first', async () => {
      const first = await world.heldRun();
      const second = await world.heldRun();
      const [claim] = await store.claim('ann', 1, [second, first]);
      expect(claim?.lease.runId).toBe(first.runId);
    });

    it('takes a run that lost its worker before those that were promoted earlier and have had none', async () => {
      const runs = [await world.heldRun(), await world.heldRun()];
      await claimed(store, 'victim', runs[1]!);
      await world.expire(runs[1]!);
      const [claim] = await store.claim('ann', 1, runs);
      expect(claim?.lease.runId).toBe(runs[1]!.runId);
    });

    it('leaves a run alone whose worker lives', async () => {
      const run = await world.heldRun();
      await claimed(store, 'ann', run);
      expect(await store.claim('ben', 1, [run])).toEqual([]);
    });

    it('raises the epoch by one each time, and counts lost epochs until one makes progress', async () => {
      const run = await world.heldRun();
      const counts: [number, boolean, number][] = [];
      for (const _ of upTo(3)) {
        const { lease, wasLost, epochsWithoutProgress } = await claimed(store, 'ann', run);
        counts.push([lease.epoch, wasLost, epochsWithoutProgress]);
        await store.append(lease, one());
        await world.expire(run);
      }
      expect(counts).toEqual([
        [1, false, 0],
        [2, true, 1],
        [3, true, 2],
      ]);
      const { lease } = await claimed(store, 'ann', run);
      await store.append(lease, { events: [anOutcome()] });
      await world.expire(run);
      expect(await claimed(store, 'ann', run)).toMatchObject({ wasLost: true, epochsWithoutProgress: 1 });
    });

    it('counts no loss, however often its reply is lost, and leaves alone what the worker drives', async () => {
      const [driven, run] = [await world.heldRun(), await world.heldRun()];
      const ann = await world.losing('ann');
      const { lease } = await claimed(ann.store, 'ann', driven);
      for (const _ of upTo(4)) {
        ann.loseClaim();
        await expect(ann.store.claim('ann', 1, [run])).rejects.toThrow();
        expect(await store.claim('ben', 1, [run])).toEqual([]);
      }
      const again = await claimed(ann.store, 'ann', run);
      expect(again).toMatchObject({ lease: { epoch: 5 }, wasLost: true, epochsWithoutProgress: 0 });
      expect((await ann.store.append(again.lease, one())).base).toBe(FIRST);
      expect((await ann.store.append(lease, one())).base).toBe(FIRST);
    });

    it('keeps count of the epochs that were lost before one whose reply was lost', async () => {
      const run = await world.heldRun();
      await claimed(store, 'victim', run);
      await world.expire(run);
      const ann = await world.losing('ann');
      ann.loseClaim();
      await expect(ann.store.claim('ann', 1, [run])).rejects.toThrow();
      expect(await ann.store.claim('ann', 0, [run])).toEqual([]);
      expect(await claimed(store, 'ben', run)).toMatchObject({ wasLost: true, epochsWithoutProgress: 1 });
    });

    it('gives a worker one suspect at a time, until that one makes progress', async () => {
      const runs = [await world.heldRun(), await world.heldRun(), await world.heldRun()];
      for (const _ of upTo(2)) {
        expect(await world.store('victim').claim('victim', 3, runs)).toHaveLength(3);
        for (const run of runs) await world.expire(run);
      }
      const others = [await world.heldRun()];
      const claims = await store.claim('dan', 10, [...runs, ...others]);
      expect(claims.map(({ lease }) => lease.runId).sort()).toEqual([runs[0]!, others[0]!].map(({ runId }) => runId));
      const suspect = claims.find(({ epochsWithoutProgress }) => epochsWithoutProgress === 2)!;
      expect(await store.claim('dan', 10, runs)).toEqual([]);
      const [elsewhere] = await store.claim('eve', 10, runs);
      expect(elsewhere!.lease.runId).toBe(runs[1]!.runId);

      await world.store('dan').append(suspect.lease, { events: [anOutcome()] });
      expect((await store.claim('dan', 10, runs)).map(({ lease }) => lease.runId)).toEqual([runs[2]!.runId]);
    });

    it('parts nobody from a run that is not executed any more', async () => {
      const runs = [await world.heldRun(), await world.heldRun()];
      for (const [i, run] of runs.entries()) {
        for (const _ of upTo(i === 0 ? 2 : 4)) {
          await claimed(store, 'victim', run);
          await world.expire(run);
        }
      }
      const claims = await store.claim('fay', 10, runs);
      expect(claims.map(({ epochsWithoutProgress }) => epochsWithoutProgress).sort()).toEqual([2, 4]);
    });

    it('takes an answer that somebody gives for progress', async () => {
      const first = await driven();
      await world.expire(first);
      const second = await claimed(store, 'ann', first);
      await world.change(second.lease, [anAnswer()]);
      await world.expire(first);
      expect(await claimed(store, 'ann', first)).toMatchObject({ epochsWithoutProgress: 1 });
    });

    it('takes nothing that waits or is over', async () => {
      const waits = await driven();
      await store.release(waits, parked);
      const over = await driven();
      await store.release(over, { ...parked, events: ending(), slot: 'none' });
      expect(await store.claim('ann', 10, [waits, over])).toEqual([]);
    });
  });

  describe('append', () => {
    it('gives out seqs without a gap and returns the first of them', async () => {
      const lease = await driven();
      const bases: number[] = [];
      for (const count of [1, 3, 2]) {
        const events = upTo(count).map((n) => aNotice(`${n}`));
        bases.push((await store.append(lease, { events })).base);
      }
      expect(bases).toEqual([FIRST, FIRST + 1, FIRST + 4]);
      expect(seqs(await world.log(lease))).toEqual(upTo(FIRST + 5));
    });

    it('keeps the order of the calls, whether or not they are waited for', async () => {
      const lease = await driven();
      const events = upTo(200).map((n) => aNotice(`${n}`));
      const appends: Promise<{ base: number }>[] = [];
      for (const [i, event] of events.entries()) {
        appends.push(store.append(lease, { events: [event] }));
        if (i % 17 === 0) await pause(1);
      }
      expect((await Promise.all(appends)).map(({ base }) => base)).toEqual(events.map((_, i) => FIRST + i));
      const log = await world.log(lease);
      expect(log.slice(FIRST - 1).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    });

    it('commits many runs at once, each in its own order', async () => {
      const leases = await Promise.all(upTo(40).map(() => driven()));
      const expected = await Promise.all(
        leases.map(async (lease) => {
          const events = upTo(10).map((n) => aNotice(`${n}`));
          await Promise.all(events.map((event) => store.append(lease, { events: [event] })));
          return events.map(({ id }) => id);
        }),
      );
      const logs = await Promise.all(leases.map((lease) => world.log(lease)));
      expect(logs.map((log) => log.slice(FIRST - 1).map(({ id }) => id))).toEqual(expected);
    });

    it('shows in its base what others appended, and lets it be read', async () => {
      const lease = await driven();
      await store.append(lease, one());
      const foreign = [aNotice('foreign 1'), aNotice('foreign 2')];
      await world.change(lease, foreign);
      expect(await store.append(lease, one())).toMatchObject({ base: FIRST + 3 });
      const missed = await store.readOthers(lease, FIRST);
      expect(missed.map(({ id }) => id)).toEqual(foreign.map(({ id }) => id));
    });

    it('stays gapless between appends of the API', async () => {
      const lease = await driven();
      const own = Promise.all(upTo(60).map((n) => store.append(lease, one(`own ${n}`))));
      const others = Promise.all(
        upTo(30).map(async (n) => {
          await pause(n);
          await world.change(lease, [aNotice(`other ${n}`)]);
        }),
      );
      const [appended] = await Promise.all([own, others]);
      const log = await world.log(lease);
      expect(seqs(log)).toEqual(upTo(FIRST - 1 + 90));
      const mine = log.filter(({ epoch }) => epoch === lease.epoch).map(({ seq }) => seq);
      expect(appended.map(({ base }) => base)).toEqual(mine);
    });

    it('tells a control request that is pending', async () => {
      const lease = await driven();
      expect(await store.append(lease, one())).toMatchObject({ pendingControl: null });
      await world.change(lease, [], 'cancel');
      expect(await store.append(lease, one())).toMatchObject({ pendingControl: 'cancel' });
    });

    it('keeps the lease of a run that nobody else has claimed', async () => {
      const lease = await driven();
      await world.expire(lease);
      await store.append(lease, one());
      expect(await store.claim('ben', 1, [lease])).toEqual([]);
    });

    it('is refused once another epoch has begun, and stores nothing', async () => {
      const old = await driven();
      await world.expire(old);
      const { lease } = await claimed(world.store('ben'), 'ben', old);
      await expect(store.append(old, one())).rejects.toBeInstanceOf(LeaseLostError);
      expect(await world.log(lease)).toHaveLength(FIRST - 1);
    });

    it('is refused to the old epoch of a worker that took its run again', async () => {
      const old = await driven();
      await world.expire(old);
      const { lease } = await claimed(store, 'ann', old);
      const results = await Promise.allSettled([store.append(old, one('old')), store.append(lease, one('new'))]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
      expect((await world.log(lease)).slice(FIRST - 1).map(({ epoch }) => epoch)).toEqual([lease.epoch]);
      const nothing = { events: [] };
      const empty = await Promise.allSettled([store.append(old, nothing), store.append(lease, one())]);
      expect(empty.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    });

    it('is refused to whoever holds no lease', async () => {
      const lease = await driven();
      await expect(world.store('eve').append({ ...lease, owner: 'eve' }, one())).rejects.toBeInstanceOf(LeaseLostError);
      await expect(store.append({ ...lease, epoch: lease.epoch + 1 }, one())).rejects.toBeInstanceOf(LeaseLostError);
      await expect(store.append({ ...lease, runId: newUlid(Date.now()) as RunId }, one())).rejects.toBeInstanceOf(
        LeaseLostError,
      );
    });

    it('is refused after the end', async () => {
      const lease = await driven();
      await store.append(lease, { events: ending() });
      await expect(store.append(lease, one())).rejects.toBeInstanceOf(LeaseLostError);
      expect(await world.log(lease)).toHaveLength(FIRST + 1);
    });

    it.each([
      { fault: 'too large', culprit: aNotice('x'.repeat(300 * 1024)) },
      { fault: 'from no time', culprit: { ...aNotice('a'), ts: '2026-13-45T00:00:00.000Z' } },
    ])('fails alone for an event that is $fault', async ({ culprit }) => {
      const [guilty, ...others] = await Promise.all(upTo(5).map(() => driven()));
      const bad = store.append(guilty!, { events: [aNotice('good'), culprit] });
      const good = others.map((lease) => store.append(lease, one()));
      await expect(bad).rejects.not.toBeInstanceOf(LeaseLostError);
      expect((await Promise.all(good)).map(({ base }) => base)).toEqual(others.map(() => FIRST));
      expect(await store.append(guilty!, one())).toMatchObject({ base: FIRST });
    });
  });

  describe('readOthers', () => {
    it('gives what no worker wrote after a seq, in order, and nothing else', async () => {
      const lease = await driven();
      await world.change(lease, [aNotice('one'), aNotice('two')]);
      await store.append(lease, one('own'));
      await world.change(lease, [aNotice('three')]);
      const others = await store.readOthers(lease, FIRST);
      expect(others.map(({ seq, event }) => [seq, event])).toEqual([
        [FIRST + 1, 'run.notice'],
        [FIRST + 3, 'run.notice'],
      ]);
      expect(others[1]).toMatchObject({ properties: { message: 'three' } });
    });

    it('gives nothing where only workers spoke, of whichever epoch', async () => {
      const old = await driven();
      await store.append(old, one());
      await world.expire(old);
      const { lease } = await claimed(store, 'ann', old);
      await store.append(lease, one());
      expect(await store.readOthers(lease, FIRST - 1)).toEqual([]);
    });

    it('gives nothing of another run', async () => {
      const [lease, other] = [await driven(), await driven()];
      await world.change(other, [aNotice('for the other')]);
      expect(await store.readOthers(lease, FIRST - 1)).toEqual([]);
    });
  });

  describe('appendLocked', () => {
    it('decides on what others said since they were heard, and stores it under the epoch', async () => {
      const lease = await driven();
      const [heard, unheard] = [aNotice('heard'), aNotice('unheard')];
      await world.change(lease, [heard, unheard]);
      const said = [aNotice('a'), aNotice('b')];
      const asked: string[][] = [];
      const appended = await store.appendLocked(lease, FIRST, (others) => {
        asked.push(others.map(({ id }) => id));
        return said;
      });
      expect(asked).toEqual([[unheard.id]]);
      expect(appended).toEqual({ base: FIRST + 2, pendingControl: null });
      const log = (await world.log(lease)).slice(FIRST + 1);
      expect(log.map(({ id, epoch }) => [id, epoch])).toEqual(said.map(({ id }) => [id, lease.epoch]));
    });

    it('may decide that there is nothing to say', async () => {
      const lease = await driven();
      expect(await store.appendLocked(lease, FIRST - 1, () => [])).toEqual({ base: FIRST, pendingControl: null });
      expect(await store.append(lease, one())).toMatchObject({ base: FIRST });
    });

    it('stores nothing when the decision throws, and the run is held on', async () => {
      const lease = await driven();
      const refusal = new Error('no decision');
      const decide = (): never => {
        throw refusal;
      };
      await expect(store.appendLocked(lease, FIRST - 1, decide)).rejects.toBe(refusal);
      expect(await store.append(lease, one())).toMatchObject({ base: FIRST });
    });

    it('lets nobody append between what was heard and what is said', async () => {
      const lease = await driven();
      const others = Promise.all(upTo(12).map((n) => world.change(lease, [aNotice(`other ${n}`)])));
      let heard = FIRST - 1;
      for (const n of upTo(12)) {
        let lastHeard = heard;
        const { base } = await store.appendLocked(lease, heard, (unheard) => {
          lastHeard = unheard.at(-1)?.seq ?? heard;
          return [aNotice(`own ${n}`)];
        });
        expect((await world.log(lease)).slice(lastHeard, base - 1).filter(({ epoch }) => epoch === null)).toEqual([]);
        heard = Math.max(lastHeard, base);
      }
      await others;
      expect(seqs(await world.log(lease))).toEqual(upTo(FIRST - 1 + 24));
    });

    it('tells a control request that is pending', async () => {
      const lease = await driven();
      await world.change(lease, [], 'pause');
      expect(await store.appendLocked(lease, FIRST - 1, () => [aNotice('a')])).toMatchObject({
        pendingControl: 'pause',
      });
    });

    it('is refused without being asked once another epoch has begun, and after the end', async () => {
      const neverAsked = (): never => {
        throw new Error('asked');
      };
      const old = await driven();
      await world.expire(old);
      await claimed(world.store('ben'), 'ben', old);
      await expect(store.appendLocked(old, FIRST - 1, neverAsked)).rejects.toBeInstanceOf(LeaseLostError);
      const over = await driven();
      await store.append(over, { events: ending() });
      await expect(store.appendLocked(over, FIRST - 1, neverAsked)).rejects.toBeInstanceOf(LeaseLostError);
    });
  });

  it('lets no stale event in while eight workers freeze and thaw', async () => {
    const run = await world.heldRun();
    let refused = 0;
    let acknowledged = 0;
    const work = async (owner: string): Promise<void> => {
      const mine = world.store(owner);
      for (const enough = performance.now() + 1_500; performance.now() < enough || refused <= 20;) {
        const [claim] = await mine.claim(owner, 1, [run]);
        if (!claim) {
          await pause(2);
          continue;
        }
        try {
          for (;;) {
            const events = upTo(1 + Math.floor(Math.random() * 4)).map(() => aNotice(owner));
            await mine.append(claim.lease, { events });
            acknowledged += events.length;
            if (Math.random() < 0.2) await world.expire(run);
            if (Math.random() < 0.5) await pause(Math.random() * 15);
          }
        } catch (thrown) {
          if (!(thrown instanceof LeaseLostError)) throw thrown;
          refused++;
        }
      }
      await world.expire(run);
    };
    const living = upTo(8).map((n) => work(`freezer-${n}`));
    // The last holder loops until somebody takes its run from it.
    const gravedigger = (async () => {
      await pause(1_600);
      for (let open = true; open;) {
        await world.expire(run);
        await store.claim('ann', 1, [run]);
        open = await Promise.race([Promise.all(living).then(() => false), pause(20).then(() => true)]);
      }
    })();
    await Promise.all([...living, gravedigger]);

    const log = await world.log(run);
    expect(refused).toBeGreaterThan(20);
    expect(log).toHaveLength(FIRST - 1 + acknowledged);
    expect(seqs(log)).toEqual(upTo(log.length));
    const epochs = log.slice(FIRST - 1).map(({ epoch }) => epoch!);
    expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
  });

  describe('release', () => {
    it('parks a run, which nobody claims and nobody drives', async () => {
      const lease = await driven();
      const waits = anEvent({ event: 'run.parked', properties: {} });
      expect(await store.release(lease, { ...parked, events: [waits] })).toEqual({ released: true });
      expect((await world.log(lease)).at(-1)).toMatchObject({ seq: FIRST, epoch: lease.epoch, event: 'run.parked' });
      await expect(store.append(lease, one())).rejects.toBeInstanceOf(LeaseLostError);
      expect(await store.claim('ben', 1, [lease])).toEqual([]);
    });

    it('ends a run', async () => {
      const lease = await driven();
      await store.release(lease, { ...parked, slot: 'none', events: ending() });
      expect((await world.log(lease)).at(-1)?.event).toBe('run.completed');
      expect(await store.renew('ann', [lease])).toEqual(new Map());
      expect(await store.claim('ben', 1, [lease])).toEqual([]);
    });

    it('hands a run to another worker, which did not lose anything', async () => {
      const lease = await driven();
      await store.release(lease, { ...parked, slot: 'queued' });
      expect(await claimed(store, 'ben', lease)).toMatchObject({
        lease: { owner: 'ben', epoch: lease.epoch + 1 },
        wasLost: false,
        epochsWithoutProgress: 0,
      });
    });

    it.each([
      { events: [], lost: 1 },
      { events: [anOutcome()], lost: 0 },
    ])('is progress only when it holds an outcome', async ({ events, lost }) => {
      const first = await driven();
      await world.expire(first);
      const second = await claimed(store, 'ann', first);
      expect(second.epochsWithoutProgress).toBe(1);
      await store.release(second.lease, { ...parked, slot: 'queued', events });
      expect(await claimed(store, 'ann', first)).toMatchObject({ wasLost: false, epochsWithoutProgress: lost });
    });

    it('is refused while a control request is pending, and stores nothing', async () => {
      const lease = await driven();
      await world.change(lease, [], 'cancel');
      const release = store.release(lease, { ...parked, events: [aNotice('parked')], state: '{}' });
      expect(await release).toEqual({ released: false, pendingControl: 'cancel' });
      expect(await world.log(lease)).toHaveLength(FIRST - 1);
      expect((await store.load(lease)).snapshot).toBeNull();
      expect(await store.append(lease, one())).toEqual({ base: FIRST, pendingControl: 'cancel' });
    });

    it('lets a run end although a control request is pending', async () => {
      const lease = await driven();
      await world.change(lease, [], 'cancel');
      const end = { ...parked, slot: 'none', events: ending() } as const;
      expect(await store.release(lease, end)).toEqual({ released: true });
    });

    it('is refused when others have said something unheard, and stores nothing', async () => {
      const lease = await driven();
      await world.change(lease, [aNotice('from outside')]);
      const release = { ...parked, events: [aNotice('parked')], state: '{}', expectedSeq: FIRST };
      expect(await store.release(lease, release)).toEqual({ released: false, pendingControl: null });
      expect(await world.log(lease)).toHaveLength(FIRST);
      expect((await store.load(lease)).snapshot).toBeNull();
      expect(await store.release(lease, { ...release, expectedSeq: FIRST + 1 })).toEqual({ released: true });
    });

    it('lets a run end whatever others said', async () => {
      const lease = await driven();
      await world.change(lease, [aNotice('from outside')]);
      const end = { ...parked, slot: 'none', events: ending(), expectedSeq: FIRST } as const;
      expect(await store.release(lease, end)).toEqual({ released: true });
    });

    it('fulfils a pause by resting, and refuses to rest otherwise while one is wanted', async () => {
      const lease = await driven();
      await store.append(lease, { events: [anEvent({ event: 'run.running', properties: {} })] });
      await world.change(lease, [], 'pause');
      expect(await store.release(lease, parked)).toEqual({ released: false, pendingControl: 'pause' });
      const rests = anEvent({ event: 'run.paused', properties: {} });
      expect(await store.release(lease, { ...parked, events: [rests] })).toEqual({ released: true });
    });

    it('is refused once another epoch has begun', async () => {
      const old = await driven();
      await world.expire(old);
      await claimed(store, 'ben', old);
      await expect(store.release(old, parked)).rejects.toBeInstanceOf(LeaseLostError);
      await expect(store.release({ ...old, owner: 'ben' }, parked)).rejects.toBeInstanceOf(LeaseLostError);
    });

    it('is given once', async () => {
      const lease = await driven();
      const end = { ...parked, slot: 'none', events: ending() } as const;
      const results = await Promise.allSettled([store.release(lease, end), store.release(lease, end)]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await world.log(lease)).toHaveLength(FIRST + 1);
    });

    it('keeps others from waiting for a culprit', async () => {
      const [guilty, ...others] = await Promise.all(upTo(4).map(() => driven()));
      const bad = store.release(guilty!, { ...parked, events: [{ ...aNotice('a'), ts: '2026-13-45T00:00:00.000Z' }] });
      const good = others.map((lease) => store.release(lease, { ...parked, events: [aNotice('a')] }));
      await expect(bad).rejects.not.toBeInstanceOf(LeaseLostError);
      expect(await Promise.all(good)).toEqual(others.map(() => ({ released: true })));
      expect(await store.append(guilty!, one())).toMatchObject({ base: FIRST });
    });
  });

  describe('giveUp', () => {
    const away: DriveFault = { kind: 'unavailable', cause: 'The store is away.', hasGotOn: false };
    const defect: DriveFault = { kind: 'defect', cause: 'It is broken.', hasGotOn: false };

    /** The run in the hands of its next worker. */
    async function taken(run: RunKey): Promise<ClaimedRun> {
      await world.wake(run);
      return claimed(store, 'ann', run);
    }

    it('parks the run, says why, ends the lease and loses no worker', async () => {
      const lease = await driven();
      expect(await store.giveUp(lease, away)).toEqual({ givenUp: true });
      expect(await world.standing(lease)).toMatchObject({ slot: 'parked', isDead: false, fault: away.cause });
      expect((await world.log(lease)).at(-1)).toMatchObject({ seq: FIRST, epoch: lease.epoch, event: 'run.notice' });
      await expect(store.append(lease, one())).rejects.toBeInstanceOf(LeaseLostError);
      expect(await taken(lease)).toMatchObject({
        ...{ lease: { epoch: lease.epoch + 1 }, nextSeq: FIRST + 1 },
        ...{ wasLost: false, epochsWithoutProgress: 0 },
      });
    });

    it('lets it wait longer each time, at most 20 s, for ever, and says so once', async () => {
      let lease = await driven();
      const waits: number[] = [];
      for (const _ of upTo(9)) {
        expect(await store.giveUp(lease, away)).toEqual({ givenUp: true });
        waits.push((await world.standing(lease)).wakeInMs! / 1_000);
        ({ lease } = await taken(lease));
      }
      for (const [i, seconds] of [1, 2, 4, 8, 16, 20, 20, 20, 20].entries()) {
        expect(waits[i]).toBeGreaterThan(seconds * 0.8 - 1);
        expect(waits[i]).toBeLessThanOrEqual(seconds * 1.2);
      }
      expect(await world.log(lease)).toHaveLength(FIRST);
    });

    it('begins anew after a checkpoint, and after a drive that ended well', async () => {
      const first = await driven();
      await store.giveUp(first, defect);
      const second = (await taken(first)).lease;
      await store.giveUp(second, defect);
      const third = (await taken(first)).lease;
      expect(await store.giveUp(third, { ...defect, hasGotOn: true })).toEqual({ givenUp: true });
      const fourth = (await taken(first)).lease;
      await store.giveUp(fourth, defect);
      await store.release((await taken(first)).lease, parked);
      expect(await store.giveUp((await taken(first)).lease, defect)).toEqual({ givenUp: true });
      expect((await world.log(first)).filter(({ event }) => event === 'run.notice')).toHaveLength(3);
    });

    it('is refused for the third defect in a row, whatever was away in between, and stores nothing', async () => {
      let lease = await driven();
      for (const fault of [defect, away, defect, away]) {
        expect(await store.giveUp(lease, fault)).toEqual({ givenUp: true });
        ({ lease } = await taken(lease));
      }
      expect(await store.giveUp(lease, defect)).toEqual({ givenUp: false, because: 'defects' });
      expect(await store.append(lease, one())).toMatchObject({ base: FIRST + 1 });
    });

    it('is refused while a cancel is pending, and keeps any other wish', async () => {
      const [cancelled, paused] = [await driven(), await driven()];
      await world.change(cancelled, [], 'cancel');
      await world.change(paused, [], 'pause');
      expect(await store.giveUp(cancelled, away)).toEqual({ givenUp: false, because: 'cancel' });
      expect(await store.append(cancelled, one())).toMatchObject({ pendingControl: 'cancel' });
      expect(await store.giveUp(paused, away)).toEqual({ givenUp: true });
      expect(await taken(paused)).toMatchObject({ pendingControl: 'pause' });
    });

    it('is refused once another epoch has begun, and when it is repeated', async () => {
      const old = await driven();
      await world.expire(old);
      const { lease } = await claimed(store, 'ben', old);
      await expect(store.giveUp(old, away)).rejects.toBeInstanceOf(LeaseLostError);
      await store.giveUp(lease, away);
      await expect(store.giveUp(lease, away)).rejects.toBeInstanceOf(LeaseLostError);
      expect(await world.log(lease)).toHaveLength(FIRST);
    });
  });

  describe('quarantine', () => {
    it('makes a run dead by name, appends nothing, and nobody takes it any more', async () => {
      const lease = await driven();
      await store.quarantine(lease, 'Its log is gone.');
      expect(await world.standing(lease)).toEqual({
        ...{ slot: 'none', wakeInMs: null, isDead: true, fault: 'Its log is gone.' },
      });
      expect(await world.log(lease)).toHaveLength(FIRST - 1);
      await expect(store.append(lease, one())).rejects.toBeInstanceOf(LeaseLostError);
      expect(await store.claim('ben', 1, [lease])).toEqual([]);
    });

    it('is refused once another epoch has begun', async () => {
      const old = await driven();
      await world.expire(old);
      await claimed(store, 'ben', old);
      await expect(store.quarantine(old, 'Gone.')).rejects.toBeInstanceOf(LeaseLostError);
    });
  });

  describe('renew', () => {
    it('tells pending controls and how far the log reaches, and leaves out what is lost', async () => {
      const [kept, controlled, lost] = [await driven(), await driven(), await driven()];
      await world.change(controlled, [], 'pause');
      await world.change(kept, [aNotice('from outside')]);
      await world.expire(lost);
      await claimed(store, 'ben', lost);
      expect(await store.renew('ann', [kept, controlled, lost])).toEqual(
        new Map([
          [kept, { pendingControl: null, lastSeq: FIRST }],
          [controlled, { pendingControl: 'pause', lastSeq: FIRST - 1 }],
        ]),
      );
    });

    it('keeps a lease alive', async () => {
      const lease = await driven();
      await world.expire(lease);
      await store.renew('ann', [lease]);
      expect(await store.claim('ben', 1, [lease])).toEqual([]);
    });

    it('gives nothing to another owner', async () => {
      const lease = await driven();
      expect(await store.renew('eve', [{ ...lease, owner: 'eve' }])).toEqual(new Map());
    });
  });

  describe('load', () => {
    it('gives the whole log of a run without a snapshot', async () => {
      const lease = await driven();
      const events = upTo(1_100).map((n) => aNotice(`${n}`));
      await store.append(lease, { events });
      const { snapshot, tail } = await store.load(lease);
      expect(snapshot).toBeNull();
      expect(tail.map(({ seq }) => seq)).toEqual(upTo(FIRST - 1 + 1_100));
      expect(tail.slice(FIRST - 1)).toMatchObject(events);
    });

    it('gives a snapshot and what came after it: together the same as the whole log', async () => {
      const lease = await driven();
      await store.append(lease, { events: upTo(20).map((n) => aNotice(`${n}`)) });
      const whole = await store.load(lease);
      await store.snapshot(lease, 10, JSON.stringify({ upTo: 10 }));
      const part = await store.load(lease);
      expect(part).toEqual({ snapshot: { seq: 10, state: { upTo: 10 } }, tail: whole.tail.slice(10) });
    });

    it('gives the newest snapshot, whatever the order in which they came', async () => {
      const lease = await driven();
      for (const seq of [2, 4, 3]) await store.snapshot(lease, seq, JSON.stringify({ upTo: seq }));
      expect((await store.load(lease)).snapshot).toEqual({ seq: 4, state: { upTo: 4 } });
      await store.release(lease, { ...parked, events: [aNotice('a')], state: '{"upTo":6}' });
      expect(await store.load(lease)).toEqual({ snapshot: { seq: FIRST, state: { upTo: FIRST } }, tail: [] });
    });

    it('knows no snapshot of an epoch that is over', async () => {
      const old = await driven();
      await world.expire(old);
      await claimed(store, 'ben', old);
      await store.snapshot(old, 3, '{}');
      expect((await store.load(old)).snapshot).toBeNull();
    });
  });
});
