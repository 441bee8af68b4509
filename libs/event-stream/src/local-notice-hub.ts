import type { EventNotice } from '#libs/engine';
import { messageOf, type RunId, type TenantId } from '#libs/kernel';
import { noticeKey } from './notice-key.js';
import type { WarningLog } from './warning-log.js';

type Listener = (notice: EventNotice) => void;

/**
 * Tells the listeners of this process. They hear a notice in the next microtask, in the order of the notices, and one
 * that throws takes nothing from the others.
 */
export class LocalNoticeHub {
  private readonly listeners = new Map<string, Set<{ hear: Listener }>>();

  constructor(private readonly log: WarningLog) {}

  subscribe(tenantId: TenantId, runId: RunId, hear: Listener): () => void {
    const key = noticeKey({ tenantId, runId });
    const subscription = { hear };
    const ofRun = this.listeners.get(key) ?? new Set();
    this.listeners.set(key, ofRun.add(subscription));
    return () => {
      ofRun.delete(subscription);
      if (ofRun.size === 0 && this.listeners.get(key) === ofRun) this.listeners.delete(key);
    };
  }

  tell(notice: EventNotice): void {
    const ofRun = this.listeners.get(noticeKey(notice));
    if (ofRun) queueMicrotask(() => ofRun.forEach(({ hear }) => this.tellOne(hear, notice)));
  }

  clear(): void {
    this.listeners.forEach((ofRun) => ofRun.clear());
    this.listeners.clear();
  }

  private tellOne(hear: Listener, notice: EventNotice): void {
    try {
      hear(notice);
    } catch (error) {
      this.log.warn({ ...notice, error: messageOf(error) }, 'A listener of run notices failed');
    }
  }
}
