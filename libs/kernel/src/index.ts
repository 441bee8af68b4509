export { assertNever } from './assert-never.js';
export { Clock, FixedClock, monotonicMs, SystemClock } from './clock.js';
export { RunyardError, type ErrorKind, InvariantError, messageOf } from './errors.js';
export {
  attemptIdOf,
  isUlid,
  newEventId,
  newUlid,
  stageIdOf,
  ulidTime,
  ulidTimeMs,
  type AttemptId,
  type RunId,
  type StageId,
  type TenantId,
  DEFAULT_TENANT,
} from './ids.js';
export { CloseStack, openWhole } from './close-stack.js';
export {
  canonicalJson,
  isDeeperThan,
  isJsonObject,
  MAX_JSON_VALUES,
  saysTooManyValues,
  type Json,
  type JsonObject,
} from './json.js';
export { nearestName } from './nearest-name.js';
export { ownTurn } from './own-turn.js';
export { cleanText, cleanJson, fitsJson, jsonBytes, shortenText, truncateText } from './text.js';
export { Semaphore } from './semaphore.js';
export { callAfter, TimeLimit } from './timer.js';
export { MAX_TOKEN_BYTES, maskTokenBytes, maskTokens, maskTokensIn, TokenMask } from './tokens.js';
export { withoutCredentials } from './url.js';
export { withinTime } from './within-time.js';
