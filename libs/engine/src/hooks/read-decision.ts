import { isJsonObject, type Json } from '#libs/kernel';
import type { HookReply } from './hook-decision.js';

/**
 * The decision a hook wrote: its whole text, or else its last line, as a JSON object with a `decision`. Undefined when
 * it wrote none.
 */
export function readDecision(text: string): HookReply | undefined {
  const trimmed = text.trim();
  return decisionIn(trimmed) ?? decisionIn(trimmed.slice(trimmed.lastIndexOf('\n') + 1));
}

function decisionIn(text: string): HookReply | undefined {
  const json = parsed(text);
  if (!isJsonObject(json)) return undefined;
  const { decision, edge_to } = json;
  const reason = typeof json['reason'] === 'string' ? json['reason'] : undefined;
  switch (decision) {
    case 'proceed':
      return { decision };
    case 'skip':
      return { decision, ...(reason !== undefined && { reason }) };
    case 'block':
      return { decision, reason: reason ?? 'it gave no reason' };
    case 'override':
      return typeof edge_to === 'string' ? { decision, edge_to } : undefined;
    default:
      return undefined;
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
