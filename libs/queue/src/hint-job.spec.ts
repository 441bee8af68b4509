import { describe, expect, it } from '@jest/globals';
import type { RunId, TenantId } from '#libs/kernel';
import { hintJob, hintOf } from './hint-job.js';

const hint = { tenantId: 'acme:eu' as TenantId, runId: '01JZZZZZZZZZZZZZZZZZZZZZZZ' as RunId, epoch: 7 };
const { name, data, opts } = hintJob(hint);
const job = { id: opts.jobId, name, data };

describe('a hint as a job', () => {
  it('comes back as it was', () => {
    expect(hintOf(job)).toEqual(hint);
  });

  it('carries ids and no state', () => {
    expect(data).toEqual({ tenantId: hint.tenantId, runId: hint.runId });
  });

  it('has an id without a colon, another one for each epoch', () => {
    expect(opts.jobId).not.toContain(':');
    expect(opts.jobId).not.toEqual(hintJob({ ...hint, epoch: 8 }).opts.jobId);
  });

  it.each([
    ['no id', { ...job, id: undefined }],
    ['an id of another run', { ...job, id: 'run-acme-other-7' }],
    ['an id without an epoch', { ...job, id: 'run-acme-other' }],
    ['another name', { ...job, name: 'mail' }],
    ['no data', { ...job, data: null }],
    ['text as data', { ...job, data: 'run' }],
    ['a number as run id', { ...job, data: { ...data, runId: 5 } }],
    ['a run id that is none', { id: 'run-acme-x%00y-1', name, data: { tenantId: 'acme', runId: 'x\0y' } }],
    ['a tenant that no database can hold', { ...job, data: { ...data, tenantId: '\ud800' } }],
  ])('is not found in a job with %s', (_, foreign) => {
    expect(hintOf(foreign)).toBeUndefined();
  });
});
