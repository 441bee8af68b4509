export { EventNotices, type EventNotice } from './ports/event-notices.js';
export { ObjectStore } from './ports/object-store.js';
export {
  Sandbox,
  SandboxProvider,
  SandboxUnavailableError,
  monotonicMs,
  type CommandEnd,
  type CommandObserver,
  type CommandOutput,
  type SandboxCommand,
  type SandboxInstance,
  type SandboxRequest,
} from './ports/sandbox.js';
