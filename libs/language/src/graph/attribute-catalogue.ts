import { type HandlerKind } from './handler-kind.js';

/** What an attribute's value must be. `switchable duration` also takes a plain 0, which switches it off. */
export type AttributeType = 'string' | 'integer' | 'boolean' | 'duration' | 'switchable duration';

export interface AttributeDeclaration extends Meaning {
  /** The one copy of the name: lookups by the very same string are faster. */
  name: string;
}

interface Meaning {
  type: AttributeType;
  /** On nodes of any other kind the attribute has no effect, and validation says so. */
  readBy?: readonly HandlerKind[];
}

/** Where an attribute is written decides which names it may have. */
export type AttributeOwner = 'graph' | 'node' | 'edge';

const string: Meaning = { type: 'string' };
const integer: Meaning = { type: 'integer' };
const boolean: Meaning = { type: 'boolean' };
const duration: Meaning = { type: 'duration' };

function readBy(meaning: Meaning, ...kinds: HandlerKind[]): Meaning {
  return { ...meaning, readBy: kinds };
}

function declare(meanings: Record<string, Meaning>): ReadonlyMap<string, AttributeDeclaration> {
  return new Map(Object.entries(meanings).map(([name, meaning]) => [name, { ...meaning, name }]));
}

/** Every attribute the language knows, by where it is written. */
export const catalogue: Readonly<Record<AttributeOwner, ReadonlyMap<string, AttributeDeclaration>>> = {
  graph: declare({
    goal: string,
    label: string,
    rankdir: string,
    model_stylesheet: string,
    default_model: string,
    default_provider: string,
    default_max_retries: integer,
    retry_target: string,
    fallback_retry_target: string,
    default_fidelity: string,
    default_thread: string,
    max_node_visits: integer,
    stall_timeout: { type: 'switchable duration' },
    loop_restart_signature_limit: integer,
  }),
  node: declare({
    label: string,
    shape: string,
    type: string,
    class: string,
    timeout: duration,
    max_visits: integer,
    max_retries: integer,
    retry_policy: string,
    retry_target: string,
    fallback_retry_target: string,
    goal_gate: boolean,
    auto_status: boolean,
    allow_partial: boolean,
    selection: string,
    import: string,
    prompt: readBy(string, 'agent', 'prompt', 'parallel.fan_in'),
    model: string,
    provider: string,
    reasoning_effort: string,
    speed: string,
    max_tokens: integer,
    fidelity: string,
    thread_id: string,
    project_memory: boolean,
    output_schema: readBy(string, 'agent', 'prompt', 'command'),
    output_retries: readBy(integer, 'agent', 'prompt'),
    backend: string,
    'acp.command': string,
    'acp.config': string,
    script: readBy(string, 'command'),
    language: readBy(string, 'command'),
    stdin_source: readBy(string, 'command'),
    max_parallel: readBy(integer, 'parallel'),
    for_each: string,
    question_type: string,
    review_target: readBy(boolean, 'human'),
    'human.default_choice': string,
    duration: readBy(duration, 'wait'),
    'stack.child_workflow': string,
    'stack.child_dot_source': string,
    'manager.poll_interval': duration,
    'manager.max_cycles': integer,
    'manager.stop_condition': string,
  }),
  edge: declare({
    label: string,
    condition: string,
    weight: integer,
    fidelity: string,
    thread_id: string,
    loop_restart: boolean,
    freeform: boolean,
  }),
};

/** Attributes that are no longer part of the language; each has a rule of its own that says what to write instead. */
export const removedAttributes: ReadonlySet<string> = new Set(['join_policy', 'acp_command']);

/** Attributes that only a drawing program reads: kept, and not worth a hint. */
export const drawingAttributes: ReadonlySet<string> = new Set(
  (
    'arrowhead arrowsize arrowtail bgcolor center color colorscheme comment compound concentrate constraint decorate ' +
    'dir dpi fillcolor fixedsize fontcolor fontname fontsize forcelabels group headlabel height href id imagescale ' +
    'labelangle labeldistance labelfontcolor labelfontname labelfontsize labeljust labelloc layout lhead ltail margin ' +
    'minlen newrank nodesep nojustify ordering orientation outputorder overlap pad pencolor penwidth peripheries pos ' +
    'quantum rank ranksep ratio regular samehead sametail sep sides size skew splines style tailclip taillabel tooltip ' +
    'truecolor url width xlabel'
  ).split(' '),
);
