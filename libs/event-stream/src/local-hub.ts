import { messageOf } from '#libs/kernel';
import type { WarningLog } from './warning-log.js';

type Listener<Message> = (message: Message) => void;

/**
 * Tells the listeners of this process, by what they listen to. They hear a message in the next microtask, in the order
 * of the messages, and one that throws takes nothing from the others.
 */
export class LocalHub<Message> {
  private readonly listeners = new Map<string, Set<{ hear: Listener<Message> }>>();

  constructor(private readonly log: WarningLog) {}

  get isEmpty(): boolean {
    return this.listeners.size === 0;
  }

  subscribe(key: string, hear: Listener<Message>): () => void {
    const subscription = { hear };
    const ofKey = this.listeners.get(key) ?? new Set();
    this.listeners.set(key, ofKey.add(subscription));
    return () => {
      ofKey.delete(subscription);
      if (ofKey.size === 0 && this.listeners.get(key) === ofKey) this.listeners.delete(key);
    };
  }

  tell(key: string, message: Message): void {
    const ofKey = this.listeners.get(key);
    if (ofKey) queueMicrotask(() => ofKey.forEach(({ hear }) => this.tellOne(hear, message)));
  }

  clear(): void {
    this.listeners.forEach((ofKey) => ofKey.clear());
    this.listeners.clear();
  }

  private tellOne(hear: Listener<Message>, message: Message): void {
    try {
      hear(message);
    } catch (error) {
      this.log.warn({ error: messageOf(error) }, 'A listener of run notices failed');
    }
  }
}
