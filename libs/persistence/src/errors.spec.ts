import { describe, expect, it } from '@jest/globals';
import { isConnectionFault, isOverloadFault, isSerializationFault } from './errors.js';

const withCode = (code: string) => Object.assign(new Error('fault'), { code });

describe('isConnectionFault', () => {
  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOENT',
    'ENOTFOUND',
    '08006',
    '57P01',
    '57P03',
    '53300',
    '25P03',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ECONNABORTED',
  ])('knows %s', (code) => expect(isConnectionFault(withCode(code))).toBe(true));

  it.each([
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
  ])('knows "%s"', (message) => expect(isConnectionFault(new Error(message))).toBe(true));

  it.each(['23505', '57014', '40001', '42501', '22P02'])('leaves %s to the statement', (code) =>
    expect(isConnectionFault(withCode(code))).toBe(false),
  );

  it.each([undefined, null, 'ECONNREFUSED', new Error('no such column')])('is not %p', (thrown) =>
    expect(isConnectionFault(thrown)).toBe(false),
  );
});

describe('isSerializationFault', () => {
  it.each(['40001', '40P01', '55P03'])('knows %s', (code) => expect(isSerializationFault(withCode(code))).toBe(true));

  it.each([withCode('23505'), withCode('57P01'), new Error('40001'), undefined])('is not %p', (thrown) =>
    expect(isSerializationFault(thrown)).toBe(false),
  );
});

describe('isOverloadFault', () => {
  it.each(['57014', '55P03', '40P01', '40001'])('knows %s', (code) =>
    expect(isOverloadFault(withCode(code))).toBe(true),
  );

  it.each([withCode('23505'), withCode('57P01'), new Error('57014'), undefined])('is not %p', (thrown) =>
    expect(isOverloadFault(thrown)).toBe(false),
  );
});
