import { describe, expect, it } from '@jest/globals';
import { failureClassOf } from './failure-class.js';

describe('failureClassOf', () => {
  it.each([
    ['Keyboard Interrupt', 'canceled'],
    ['the job was CANCELLED', 'canceled'],
    ['cancelling due to test failure', 'deterministic'],
    ['canceling due to test failure', 'deterministic'],
    ['interrupted while cancelling due to test failure', 'canceled'],
    ['cancelled: timeout', 'canceled'],

    ['TLS handshake timeout', 'transient_infra'],
    ['The request timed out', 'transient_infra'],
    ['HTTP 503', 'transient_infra'],
    ['502 Bad Gateway', 'transient_infra'],
    ['curl: (6) Could not resolve host: example.org', 'transient_infra'],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'transient_infra'],
    ['error: failed to download from `https://index.crates.io`', 'transient_infra'],
    ['Invalid cross-device link (os error 18)', 'transient_infra'],
    ['rate limit of the token budget', 'transient_infra'],

    ['context length is 200k', 'budget_exhausted'],
    ['Quota exceeded', 'budget_exhausted'],
    ['scope violation: over budget', 'budget_exhausted'],

    ['write_scope_violation in src/', 'structural'],
    ['Scope violation', 'structural'],

    ['assertion failed', 'deterministic'],
    ['', 'deterministic'],
  ])('of %j is %s', (message, category) => {
    expect(failureClassOf(message)).toBe(category);
  });

  it.each(['50012ab', 'commit 0a50c3d4e5f6503', `sha256:${'5'.repeat(61)}500`])(
    'does not take a hash for a status: %s',
    (message) => {
      expect(failureClassOf(message)).toBe('deterministic');
    },
  );

  it('reads numbers that are too short or too long to be hashes', () => {
    expect(failureClassOf('1500 ms')).toBe('transient_infra');
    expect(failureClassOf(`${'5'.repeat(62)}500`)).toBe('transient_infra');
  });

  it('takes time in proportion to the message', () => {
    const before = process.cpuUsage();
    failureClassOf(`${'a1'.repeat(500_000)} ${'cance '.repeat(200_000)}${'12345678 '.repeat(100_000)}`);
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
  });
});
