import { expect, it } from '@jest/globals';
import { stamp, type EventOf, type RunEvent } from '#libs/events';
import { created } from '../../../test/support/a-log.js';
import { PERSON } from '../../../test/support/stored-runs.js';
import { forkedFrom, retriedFrom, submit } from './born.js';

const stampNow = (event: RunEvent) => stamp(event, 0);
const { properties } = created() as EventOf<'run.created'>;
const beginning = submit(properties, null, stampNow);
const provenance = { subject: PERSON };

it('a run is created by somebody, and submitted with what it was made of', () => {
  expect(submit(properties, PERSON, stampNow)).toMatchObject([
    { event: 'run.created', actor: PERSON, properties },
    { event: 'run.submitted', properties: { definition_blob: properties.spec_blob } },
  ]);
  expect(beginning[0]).not.toHaveProperty('actor');
});

it('a retry has the present title and parent of its source, and its own maker', () => {
  const [first, second] = retriedFrom(beginning, { id: '01JS', title: 'Renamed', parent_id: '01JP' }, PERSON);
  const ties = { retried_from: '01JS', title: 'Renamed', parent_id: '01JP', provenance };
  expect(first).toMatchObject({ actor: PERSON, properties: { ...properties, ...ties } });
  expect(second).toBe(beginning[1]);
  const [alone] = retriedFrom(beginning, { id: '01JS', title: 'Renamed', parent_id: null }, PERSON);
  expect(alone!.properties).not.toHaveProperty('parent_id');
});

it('a fork says from which checkpoint of which run it goes on', () => {
  const checkpoint = { seq: 9, properties: { ordinal: 2 } } as Parameters<typeof forkedFrom>[2];
  const fork_source_ref = { source_run_id: '01JS', checkpoint_seq: 9, checkpoint_ordinal: 2 };
  expect(forkedFrom(beginning, '01JS', checkpoint, PERSON)[0]).toMatchObject({
    actor: PERSON,
    properties: { ...properties, fork_source_ref, provenance },
  });
});
