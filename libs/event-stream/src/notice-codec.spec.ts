import { describe, expect, it } from '@jest/globals';
import type { EventNotice } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';
import { packNotices, unpackNotices } from './notice-codec.js';
import { MAX_PAYLOAD_BYTES } from './payload.js';

const notices = Array.from({ length: 1_000 }, (_, index): EventNotice => ({
  tenantId: 'äcme' as TenantId,
  runId: `run-${index}` as RunId,
  fromSeq: index,
  toSeq: index + 2,
}));

describe('a payload of notices', () => {
  it('carries as many as fit, and all of them in the end', () => {
    const heard: EventNotice[] = [];
    while (heard.length < notices.length) {
      const { payload, packed } = packNotices('me', notices.slice(heard.length));
      expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
      expect(unpackNotices(payload)?.notices).toHaveLength(packed);
      heard.push(...unpackNotices(payload)!.notices);
    }
    expect(heard).toEqual(notices);
  });

  it('begins with its end where its sender does not say where it begins', () => {
    expect(unpackNotices('["me",["t","r",9]]')?.notices).toEqual([{ tenantId: 't', runId: 'r', fromSeq: 9, toSeq: 9 }]);
  });

  it.each([
    '',
    'hello',
    '7',
    '{}',
    '[]',
    '[1]',
    '["me",1]',
    '["me",["t","r"]]',
    '["me",["t","r","9"]]',
    '["me",[1,"r",9]]',
  ])('is nothing when it reads %j', (payload) => {
    expect(unpackNotices(payload)).toBeUndefined();
  });
});
