/**
 * What may stand in an event, in bytes of JSON. Whoever states an event keeps to these; what is larger goes to the
 * object store and leaves its reference, or is shortened where only people read it.
 */

/** One event, all in all. */
export const MAX_EVENT_BYTES = 256 * 1024;

/** One value: of a context, of an answer, of a question. */
export const MAX_VALUE_BYTES = 100 * 1024;

/** All context values of one event together, their keys included. */
export const MAX_VALUES_BYTES = 128 * 1024;

/** What is said in passing: a label, a condition, a message, a note, a reason. */
export const MAX_PHRASE_BYTES = 8 * 1024;

/** What something is called: a node, a thread, a model, a hook. */
export const MAX_NAME_BYTES = 256;
