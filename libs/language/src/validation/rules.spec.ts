import { describe, expect, it } from '@jest/globals';
import { compile } from '../compile.js';
import { type Diagnostic } from '../diagnostics/diagnostic.js';
import { type ModelNames } from './model-names.js';
import { rules } from './rules.js';

/** A catalogue of the model "best" and the provider "lab", which has another model as well. */
const models: ModelNames = {
  hasProvider: (name) => name === 'lab',
  hasModel: (name, provider) => name === 'best' || (name === 'lab/best' && provider === 'lab'),
  providerNames: () => ['lab'],
  modelNames: () => ['best'],
};

/** What one rule says about statements put between a start and an exit node. */
function findings(rule: string, body: string): Diagnostic[] {
  return compile(`digraph W { ${body} }`, { models }).diagnostics.filter((diagnostic) => diagnostic.rule === rule);
}

const ends = 'start; exit;';
const acp = 'backend=acp, acp.command="agent"';
const branches = 'start; exit; f [shape=component]; a [script=a]; b [script=b];';
const joined = 'j [shape=tripleoctagon];';
const gate = 'start; exit; h [shape=hexagon]; a [script=a]; start -> h;';
/** Two scripts that meet at the fan-in "j", and what is behind it. */
const fork = (behind: string, more = '') => `${branches} ${joined} f -> a -> j; f -> b -> j; ${behind}; ${more}`;
const config = (json: string) => `a [label=A, backend=acp, acp.config="${json.replaceAll('"', '\\"')}"]`;

/** For each rule: statements it objects to, with what it says; and statements close by that it lets pass. */
const table: Record<string, { finds: [body: string, says: string][]; passes: string[] }> = {
  syntax: {
    finds: [['m [shape=house, stack.child_dot_source="digraph {}"]', 'A workflow needs a name']],
    passes: ['a'],
  },
  stylesheet_syntax: {
    finds: [['model_stylesheet="* {model}"', 'Expected ":" after the property "model"']],
    passes: ['model_stylesheet="* {model: m}"', 'model_stylesheet=""'],
  },
  stylesheet_model_known: {
    finds: [
      [
        'model_stylesheet="* {model: nonsense}"',
        'The style sheet names the model "nonsense", which the catalogue does',
      ],
      ['model_stylesheet="* {provider: nobody}"', 'The style sheet names the provider "nobody", which the catalogue'],
      ['model_stylesheet="* {provider: lab; model: worst}"', '"worst", which the provider "lab" does not have.'],
    ],
    passes: [
      'model_stylesheet="* {model: best; provider: lab; colour: nonsense}"',
      'model_stylesheet="* {model: lab/best; provider: lab}"',
      'a [model=nonsense]',
    ],
  },
  node_model_known: {
    finds: [
      ['a [model=nonsense]', 'Node "a" names the model "nonsense", which the catalogue does not have.'],
      ['a [model=best, provider=nobody]', 'Node "a" names the provider "nobody", which the catalogue does not have.'],
      ['a [model=worst, provider=lab]', 'Node "a" names the model "worst", which the provider "lab" does not have.'],
      ['a [script=ls, model="lab/best"]', 'Node "a" names the model "lab/best", which the catalogue does not have.'],
    ],
    passes: [
      'a [model=best, provider=lab]',
      'model_stylesheet="* {provider: lab}" a [model="lab/best"]',
      'model_stylesheet="* {model: nonsense; provider: nobody}" a',
      'a [model=""]',
    ],
  },
  start_node: {
    finds: [
      ['exit', 'has no start node'],
      ['start; Start; exit', 'has 2 start nodes (start, Start)'],
      ['start; begin [shape=Mdiamond]; exit', 'has 2 start nodes (start, begin)'],
      ['start [shape=hexagon]; exit', 'its shape or type makes it a human node'],
    ],
    passes: [
      'start; exit',
      'begin [shape=Mdiamond]; exit',
      'begin [type=start]; exit',
      'node [shape=box]; start; exit',
    ],
  },
  terminal_node: {
    finds: [
      ['start', 'has no exit node'],
      ['start; exit; end; done [shape=Msquare]', 'has 3 exit nodes (exit, end, done)'],
      ['start; end [script="x", shape=parallelogram]', 'makes it a command node'],
    ],
    passes: ['start; End', 'start; done [shape=Msquare]'],
  },
  reachability: {
    finds: [[`${ends} start -> exit; b; c -> b; c`, 'Node "b" is not reachable']],
    passes: [
      `${ends} start -> exit`,
      `${ends} a [retry_target=b]; b; start -> a -> exit; b -> a`,
      `retry_target=b; ${ends} b; start -> exit; b -> exit`,
      `${ends} h [shape=hexagon, human.default_choice=b]; b; start -> h -> exit; b -> exit`,
      'a; b',
    ],
  },
  edge_target_exists: {
    finds: [
      [`${ends} start -> b; b -> exit`, 'node "b", which is declared nowhere'],
      [`${ends} b -> exit`, 'The edge b -> exit refers to node "b"'],
    ],
    passes: [`${ends} start -> b -> exit; subgraph { b }`],
  },
  start_no_incoming: {
    finds: [[`${ends} a; a -> start; exit -> start`, 'must have no incoming edge; it has 2']],
    passes: [`${ends} start -> exit`],
  },
  exit_no_outgoing: {
    finds: [[`${ends} a; exit -> a`, 'must have no outgoing edge; it has 1']],
    passes: [`${ends} start -> exit`],
  },
  condition_syntax: {
    finds: [
      [`${ends} start -> exit [condition="a b"]`, 'start -> exit does not parse: expected && or ||'],
      [
        `${ends} m [shape=house, stack.child_workflow=c.dot, manager.stop_condition="="]`,
        'The stop condition of node "m"',
      ],
      [`${ends} start -> exit [condition="x && (y || z)"]`, 'there are no parentheses'],
    ],
    passes: [`${ends} start -> exit [condition=""]`, `${ends} start -> exit [condition="context.a = \\"b c\\""]`],
  },
  condition_value: {
    finds: [
      [`${ends} start -> exit [condition="outcome=success"]`, 'outcome is never "success"; it is succeeded, failed,'],
      [
        `${ends} start -> exit [condition="a && failure_class!=x"]`,
        'failure_class is never "x"; it is transient_infra',
      ],
      [`${ends} start -> exit [condition="a=FALSE"]`, 'A boolean reads as true or false, never as "FALSE".'],
    ],
    passes: [
      `${ends} start -> exit [condition="outcome=failed && context.outcome!=skipped && failure_class="]`,
      `${ends} start -> exit [condition="a=true || a=success || outcome contains succ"]`,
    ],
  },
  attribute_value: {
    finds: [
      [`a [timeout=soon]`, 'The node attribute timeout cannot be "soon": it takes a duration'],
      [`a [timeout=500d]`, 'The node attribute timeout cannot be "500d": it takes a duration of at most 365 days'],
      [`a [timeout="-30s"]`, 'cannot be "-30s"'],
      [`a [max_retries="many"]`, 'it takes a whole number'],
      [`a [goal_gate=yes]`, 'it takes true or false'],
      [`a [label=5]`, 'The node attribute label cannot be "5": it takes a text'],
      [`edge [weight=1.5]`, 'The edge attribute weight'],
      [`stall_timeout=soon`, 'The graph attribute stall_timeout cannot be "soon"'],
    ],
    passes: ['a [timeout="30s", max_retries="+5", goal_gate="true", label=5m]', 'stall_timeout=0', 'a [whatever=5]'],
  },
  graph_size: {
    finds: [
      [`node [prompt="${'p'.repeat(1_000_000)}"] ${Array.from({ length: 40 }, (_, i) => `n${i}`).join(';')}`, '32 Mi'],
    ],
    passes: [`node [prompt="${'p'.repeat(1_000)}"] a; b; c`],
  },
  text_length: {
    finds: [
      [`${'i'.repeat(255)} [label=A]`, 'takes 257 bytes; at most 256 are allowed.'],
      [`a [label="${'l'.repeat(300_000)}"]`, 'The label of the node "a" takes 300002 bytes; at most 8192 are allowed.'],
      [`a [label=A, thread_id="${'t'.repeat(300)}"]`, 'The thread_id of the node "a" takes 302 bytes'],
      [`a [label=A, class="b,${'c'.repeat(300)}"]`, 'A class of the node "a" takes 302 bytes'],
      [`a [label=A, model="${'m'.repeat(300)}"]`, 'The model of the node "a" takes 302 bytes'],
      [`a [label=A, provider="${'p'.repeat(300)}"]`, 'The provider of the node "a" takes 302 bytes'],
      [`h [shape=hexagon, human.default_choice="${'d'.repeat(300)}"]`, 'The human.default_choice of the node "h"'],
      [`a; b; a -> b [label="${'é'.repeat(5_000)}"]`, 'The label of the edge "a" -> "b" takes 10002 bytes'],
      [`a; b; a -> b [condition="x=${'y'.repeat(9_000)}"]`, 'The condition of the edge "a" -> "b" takes 9004 bytes'],
      [`a; b; a -> b [thread_id="${'t'.repeat(300)}"]`, 'The thread_id of the edge "a" -> "b" takes 302 bytes'],
      [`default_thread="${'t'.repeat(300)}"`, 'The graph attribute default_thread takes 302 bytes'],
    ],
    passes: [
      `a [prompt="${'p'.repeat(300_000)}"]`,
      `a [script="${'s'.repeat(300_000)}"]`,
      `a [label="${'l'.repeat(8_190)}"]; ${'i'.repeat(254)}`,
      `goal="${'g'.repeat(300_000)}"`,
    ],
  },
  edge_count: {
    finds: [
      [
        `h [shape=hexagon]; ${Array.from({ length: 20 }, (_, n) => `h -> a [label="${n}${'o'.repeat(3_000)}"]`).join(';')}`,
        'The options of the human node "h" take',
      ],
      [
        `f [shape=component]; ${Array.from({ length: 2_001 }, (_, n) => `f -> b${n}`).join(';')}`,
        'The parallel node "f" has 2001 edges; at most 2000 are allowed.',
      ],
    ],
    passes: [
      `h [shape=hexagon]; ${Array.from({ length: 20 }, (_, n) => `h -> a [label="${n}${'o'.repeat(2_000)}"]`).join(';')}`,
      `f [shape=component]; ${Array.from({ length: 2_000 }, (_, n) => `f -> b${n}`).join(';')}`,
    ],
  },
  type_known: {
    finds: [['a [type=comand, label=A]', 'has the unknown type "comand"; without it, it is an agent node']],
    passes: ['a [type=tool, script="x"]', 'a [type="stack.manager_loop"]'],
  },
  shape_known: {
    finds: [['a [shape=elipse, label=A]', 'names no handler; it runs as an agent']],
    passes: [
      'a [shape=box]',
      'a [shape=ellipse, type=agent]',
      'a [shape=ellipse, type=command]',
      'start [shape=circle]',
    ],
  },
  backend_valid: {
    finds: [
      ['a [backend=cli]', 'the backend "cli" no longer exists'],
      ['a [backend=gpu]', '"gpu" is not a backend'],
      [`a [shape=tab, ${acp}]`, 'a prompt node has the backend api only'],
      ['a [backend=acp]', 'needs acp.command or acp.config'],
      [`a [${acp}, acp.config="{\\"type\\":\\"stdio\\",\\"command\\":\\"x\\"}"]`, 'exclude each other'],
      ['a [acp_command="x"]', 'write acp.command'],
      [`a [${acp}, model=m]`, 'model is not supported'],
      [`a [${acp}, output_schema=routing]`, 'output_schema is not supported'],
      ['a [acp.command="x"]', 'acp.command needs backend=acp'],
      [config('nope'), 'is not a JSON object'],
      [config('{"type":"http","command":"x"}'), '"type": "stdio"'],
      [config('{"type":"stdio"}'), '"command" string'],
      [config('{"type":"stdio","command":"x","args":"y"}'), '"args" must be a list'],
      [config('{"type":"stdio","command":"x","env":{"A":1}}'), '"env" must be an object'],
    ],
    passes: ['a [backend=api]', `a [${acp}]`, config('{"type":"stdio","command":"x","args":["y"],"env":{"A":"b"}}')],
  },
  fidelity_valid: {
    finds: [
      ['default_fidelity=most', 'default_fidelity is "most"'],
      ['a [fidelity=most]', 'fidelity of node "a" is "most"'],
      ['a; a -> a [fidelity=most]', 'fidelity of the edge a -> a is "most"'],
    ],
    passes: ['default_fidelity="summary:low" a [fidelity=truncate]'],
  },
  retry_target_exists: {
    finds: [
      ['retry_target=b', 'The graph\'s retry_target "b" does not exist'],
      ['a [fallback_retry_target=b]', 'The fallback_retry_target "b" of node "a" does not exist'],
    ],
    passes: ['retry_target=a; a [fallback_retry_target=a]'],
  },
  retry_policy_known: {
    finds: [['a [retry_policy=often]', 'is "often", which is none: max_retries decides instead']],
    passes: ['a [retry_policy=patient]'],
  },
  goal_gate_has_retry: {
    finds: [['a [goal_gate=true]', 'has no retry target']],
    passes: [
      'a [goal_gate=true, retry_target=a]',
      'fallback_retry_target=a a [goal_gate="true"]',
      'a [goal_gate=false]',
    ],
  },
  prompt_on_llm_nodes: {
    finds: [
      ['a', 'The agent node "a" has no prompt and no label'],
      ['a [shape=tab, prompt=" "]', 'The prompt node "a"'],
    ],
    passes: ['a [import="x.dot"]', 'a [label=A]', 'a [prompt=P]', 'start', 'a [shape=diamond]'],
  },
  freeform_edge_count: {
    finds: [['h [shape=hexagon]; a; h -> a [freeform=true]; h -> a [freeform=true]', 'has 2 freeform edges']],
    passes: [
      'h [shape=hexagon]; a; h -> a [freeform=true]; h -> a',
      'h; h -> h [freeform=true]; h -> h [freeform=true]',
    ],
  },
  question_type_valid: {
    finds: [['h [shape=hexagon, question_type=maybe]', 'is "maybe", which is none']],
    passes: ['h [shape=hexagon, question_type=yes_no]'],
  },
  default_choice_exists: {
    finds: [['h [shape=hexagon, human.default_choice=b]; a; b; h -> a', 'is "b", to which it has no edge']],
    passes: ['h [shape=hexagon, human.default_choice=a]; a; h -> a'],
  },
  for_each_contract: {
    finds: [
      ['a [for_each=x]', 'has no meaning on an agent node'],
      ['p [shape=component, for_each=""]; a; p -> a', 'is empty'],
      ['p [shape=component, for_each=5]; a; p -> a', 'must be a text'],
      ['p [shape=component, for_each="[1,"]; a; p -> a', 'is not a valid JSON array'],
      ['p [shape=component, for_each=x]; a; b; p -> a; p -> b', 'exactly one outgoing edge; there are 2'],
      ['p [shape=component, for_each=x]', 'exactly one outgoing edge; there are 0'],
      [
        'p [shape=component, for_each=x]; c [script=x]; p -> c',
        'a command node; it must lead to an agent or prompt node',
      ],
    ],
    passes: [
      'p [shape=component, for_each="context.items"]; a; p -> a',
      'p [shape=component, for_each="[1, 2]"]; a [shape=tab]; p -> a',
      'p [shape=component]; a; b; p -> a; p -> b',
    ],
  },
  stdin_source_valid: {
    finds: [
      ['a [script=x, stdin_source=""]', 'is empty or not a text'],
      ['a [script=x, stdin_source=5]', 'is empty or not a text'],
    ],
    passes: ['a [script=x, stdin_source="context.x"]'],
  },
  direction_valid: {
    finds: [['rankdir=XY', 'rankdir is "XY"']],
    passes: ['rankdir=LR', 'rankdir="BT"', ''],
  },
  reserved_keyword_node_id: {
    finds: [
      ['if', 'The node id "if" is a reserved word'],
      ['Graph', 'The node id "Graph"'],
      ['edge -> edge; edge', 'The node id "edge"'],
    ],
    passes: ['graph_1; iffy'],
  },
  all_conditional_edges: {
    finds: [['a; b; a -> b [condition="x"]; a -> b [condition="!x"]', 'Every edge of node "a" has a condition']],
    passes: ['a; b; a -> b [condition="x"]; a -> b', 'a'],
  },
  orphan_custom_outcome: {
    finds: [['a; b; a -> b [condition="x && outcome=failed"]', 'routes on its outcome']],
    passes: [
      'a; b; a -> b [condition="outcome=failed"]; a -> b',
      'a; b; a -> b [condition="context.outcome=failed"]',
      'a; b; a -> b [condition="my_outcome=failed"]',
    ],
  },
  script_absolute_cd: {
    finds: [
      ['a [script="cd /tmp && ls"]', 'changes to an absolute directory'],
      ['a [script="ls;cd /"]', 'changes to an absolute directory'],
    ],
    passes: ['a [script="cd sub; ls /"]', 'a [script="abcd /tmp"]'],
  },
  command_requires_script: {
    finds: [
      ['a [shape=parallelogram]', 'The command node "a" has no script'],
      ['a [type=command, script=" "]', 'has no script'],
    ],
    passes: ['a [script="ls"]'],
  },
  script_prompt_conflict: {
    finds: [['a [script=x, prompt=y]', 'has a script and a prompt']],
    passes: ['a [script=x]', 'a [prompt=y]'],
  },
  language_valid: {
    finds: [['a [script=x, language=ruby]', 'is "ruby", which is none']],
    passes: ['a [script=x, language=python]', 'a [script=x]'],
  },
  output_schema_valid: {
    finds: [
      ['a [output_schema=""]', 'Invalid output_schema for node "a"'],
      ['a [output_schema="{"]', 'Invalid output_schema'],
      ['a [output_schema="[]"]', 'Invalid output_schema'],
    ],
    passes: ['a [output_schema=routing]', 'a [output_schema="{\\"type\\":\\"object\\"}"]'],
  },
  wait_requires_duration: {
    finds: [['w [shape=insulator]', 'The wait node "w" has no duration']],
    passes: ['w [shape=insulator, duration="30s"]'],
  },
  manager_requires_child: {
    finds: [['m [shape=house]', 'has no child workflow']],
    passes: ['m [shape=house, stack.child_workflow="a.dot"]', 'm [shape=house, stack.child_dot_source="digraph C {}"]'],
  },
  child_workflow: {
    finds: [
      ['m [shape=house, stack.child_workflow="a.dot"]', 'runs the workflow "a.dot", but a source that stands in no'],
    ],
    passes: [`m [shape=house, stack.child_dot_source="digraph C { start -> exit start exit }"]`, 'm [shape=house]'],
  },
  parallel_join: {
    finds: [
      [`${ends} f [shape=component]; a; b; start -> f; f -> a; f -> b; a -> exit; b -> exit`, 'do not all meet'],
      [`${ends} f [shape=component]; a; j; start -> f -> a -> j -> exit; f -> j; a -> exit`, 'do not all meet'],
      [`${ends} f [shape=component]; a; start -> exit; f -> a`, 'do not all meet'],
    ],
    passes: [
      `${ends} f [shape=component]; a; b; j [shape=tripleoctagon]; start -> f; f -> a -> j; f -> b -> j -> exit`,
      `${ends} f [shape=component]; a; b; j; start -> f; f -> a -> j; f -> b -> j -> exit`,
      `${ends} f [shape=component]; start -> exit`,
      'f [shape=component]; a; f -> a',
    ],
  },
  import_error: {
    finds: [['a [import="other.dot"]', 'Import placeholder "a" refers to the workflow "other.dot", but a source']],
    passes: ['a'],
  },
  unresolved_file_ref: {
    finds: [
      ['goal="@goal.md"', 'the goal refers to the file "goal.md", but a source that stands in no file'],
      ['a [prompt="@p.md"]', 'the prompt of node "a" refers to the file "p.md"'],
      ['a [output_schema="@s.json"]', 'the output_schema of node "a"'],
    ],
    passes: ['goal="mail me@home" a [prompt="ask @team"]'],
  },
  goal_self_reference: {
    finds: [
      ['goal="Ship {{ goal }}"', 'The goal cannot refer to itself'],
      ['goal="{% if true %}{{ goal | upper }}{% endif %}"', 'cannot refer to itself'],
    ],
    passes: ['goal="Ship {% raw %}{{ goal }}{% endraw %}"', 'goal=Ship a [prompt="{{ goal }}"]'],
  },
  template_syntax: {
    finds: [
      ['goal="{{ 1 + }}"', 'The goal cannot be rendered: the tag "{{ 1 + }}" is not complete.'],
      [
        'a [prompt="{% if x %}"]',
        'The prompt of node "a" cannot be rendered: {% if %} is never closed by {% endif %}.',
      ],
      ['a [prompt="{% include \\"p.md\\" %}"]', 'it includes "p.md", but a source that stands in no file'],
    ],
    passes: ['a [prompt="}} %} {"]', 'a [label="{{ 1 + }}"]', 'a [script="{{ 1 + }} {% if %}"]'],
  },
  template_undefined_variable: {
    finds: [
      ['goal="{{ gaol }}"', 'Undefined variable "gaol" in the goal.'],
      ['a [prompt="{{ user.name }}"]', 'Undefined variable "user" in the prompt of node "a".'],
    ],
    passes: ['a [prompt="{{ inputs.x }} {{ vars.X }} {{ goal }}"]', 'a [script="{{ inputs.x }} {{ user }}"]'],
  },
  script_token_place: {
    finds: [
      [
        'a [script="echo `echo {{ goal }}`"]',
        'The value of goal cannot be quoted in the script of node "a", because it stands in back-ticks.',
      ],
      ['a [script="p(\'{{ inputs.x }}\')", language=python]', 'because it stands inside a text of Python.'],
    ],
    passes: ['a [script="echo \\"{{ goal }}\\" \'{{ inputs.x }}\' {{ vars.X }}"]', 'a [script="echo `echo {{ x }}`"]'],
  },
  script_token_unknown: {
    finds: [
      ['a [script="echo {{ input.x }}"]', '"{{ input.x }}" in the script of node "a" is no token'],
      ['a [script="echo {{ inputs.x | upper }}"]', '"{{ inputs.x | upper }}" in the script'],
    ],
    passes: [
      'a [script="docker ps --format \'{{ .Names }} {{json .}}\'; echo ${{ x }} {{ }} {{ goal }}"]',
      'a [script="f\"{{x}}\"", language=python]',
    ],
  },
  script_variable_unquoted: {
    finds: [
      ['a [script="[ $RUNYARD_GOAL = x ]"]', '$RUNYARD_GOAL in a test of the script of node "a" is not in quotes'],
      ['a [script="if test a = ${RUNYARD_INPUT_X}; then ls; fi"]', '$RUNYARD_INPUT_X in a test'],
      ['a [script="ls && [ \\"$y\\" = $RUNYARD_INPUT_X ]"]', '$RUNYARD_INPUT_X in a test'],
    ],
    passes: [
      'a [script="[ \\"$RUNYARD_GOAL\\" = x ]; echo $RUNYARD_GOAL"]',
      'a [script="[[ $RUNYARD_GOAL = x ]] && npm test $RUNYARD_GOAL"]',
      'a [script="if [ $RUNYARD_GOAL ]: pass", language=python]',
    ],
  },
  detemplated_attribute: {
    finds: [
      ['label="{{ goal }}"', 'The graph attribute label is no template: "{{ goal }}" is taken as it is written.'],
      ['node [label="{% if x %}"]; a; b', 'The node attribute label is no template'],
      ['a; b; a -> b [condition="outcome={{ inputs.x }}"]', 'The edge attribute condition is no template'],
      ['a [output_schema="{\\"title\\": \\"{{ goal }}\\"}"]', 'The node attribute output_schema is no template'],
    ],
    passes: [
      'goal="{{ 1 }}" a [prompt="{{ goal }}"]; b [script="{{ goal }}"]',
      'a [label="{ a } }} {{"]',
      'a [output_schema="@{{ goal }}.json"]; b [import="{{ goal }}.dot"]',
      'm [shape=house, stack.child_dot_source="digraph C { start; exit; a [prompt=\\"{{ goal }}\\"] start -> a -> exit }"]',
    ],
  },
  join_policy_removed: {
    finds: [
      ['a [join_policy=first]', 'join_policy is no longer part of the language'],
      ['node [join_policy=first]', 'always waits for all its branches'],
    ],
    passes: ['a [shape=component]'],
  },
  thread_id_requires_fidelity_full: {
    finds: [
      ['default_thread=t; a', 'default_thread has no effect'],
      ['a [thread_id=t]', 'Node "a" has a thread_id'],
      ['a; b; a -> b [thread_id=t]', 'The edge a -> b has a thread_id'],
    ],
    passes: [
      'default_thread=t; default_fidelity=full',
      'default_thread=t; a [fidelity=full]',
      'a [thread_id=t, fidelity=full]',
      'a; b [thread_id=t]; a -> b [fidelity=full]',
      'a; b [fidelity=full]; a -> b [thread_id=t]',
      'p [shape=component]; b [thread_id=t]; p -> b [thread_id=u]',
    ],
  },
  simulate_json: {
    finds: [
      [`a [prompt="Judge.\nsimulate: {\\"text\\": \\"one\ntwo\\"}"]`, 'in the prompt of node "a" is not valid JSON'],
      ['a [prompt="simulate: {broken}"]', 'is not valid JSON'],
    ],
    passes: [
      'a [prompt="simulate: {\\"text\\": \\"one\\\\ntwo\\"}"]',
      'a [prompt="simulate: Looks good."]',
      'a [prompt="Say simulate: {x"]',
      'a [prompt="simulate: {{ inputs.answer }}"]',
    ],
  },
  selection_valid: {
    finds: [['a [selection=best]', 'is "best", which is none: it is taken as deterministic']],
    passes: ['a [selection=random]'],
  },
  random_selection_no_conditions: {
    finds: [
      [
        'a [selection=random]; b; a -> b; a -> b [condition=x]',
        'cannot be combined with the condition on its edge to "b"',
      ],
    ],
    passes: ['a [selection=random]; b; a -> b; a -> b'],
  },
  inert_attribute: {
    finds: [
      ['a [label=A, script=x, shape=box]', 'script has no effect on the agent node "a"'],
      ['a [duration=5s]', 'duration has no effect on the agent node "a"; it is read by wait nodes'],
      ['start [prompt=x]', 'it is read by agent, prompt or parallel.fan_in nodes'],
      ['a [review_target=true]', 'review_target has no effect'],
    ],
    passes: ['a [type=robot, duration=5s]', 'a [script=x, prompt=y]', 'f [shape=tripleoctagon, prompt=x]'],
  },
  parallel_branch_inert_attribute: {
    finds: [
      ['p [shape=component]; b; p -> b [fidelity=full]', 'fidelity=full on the edge p -> b is ignored'],
      ['p [shape=component]; b [thread_id=t]; p -> b', 'thread_id on node "b" is ignored'],
    ],
    passes: [
      'p [shape=component]; b [fidelity=compact]; p -> b [fidelity=truncate]',
      'p [shape=component]; a; b [thread_id=t]; p -> b; a -> b',
    ],
  },
  attribute_known: {
    finds: [
      ['a; a -> a [prompt=x]', 'knows no edge attribute "prompt"'],
      ['owner=me', 'knows no graph attribute "owner"'],
      ['a [__proto__=x]', 'knows no node attribute "__proto__"'],
    ],
    passes: ['a [color=red, style=filled]', 'rankdir=LR'],
  },
  timeout_positive: {
    finds: [
      ['a [script=x, timeout=0s]', 'The timeout of node "a" is 0, so it would run out of time at once.'],
      ['h [shape=hexagon, timeout="0ms"]', 'The timeout of node "h" is 0'],
    ],
    passes: ['a [script=x, timeout=1ms]', 'a [script=x]', 'stall_timeout=0'],
  },
  choice_keys_distinct: {
    finds: [
      [
        `${gate} h -> a [label=Run]; h -> exit [label=Rest]`,
        'The choices "Run" and "Rest" have the same key "R"; the second',
      ],
      [`${gate} h -> a; h -> exit [label="[a] Leave"]`, 'The choices "a" and "[a] Leave" have the same key "a"'],
    ],
    passes: [
      `${gate} h -> a [label=Run]; h -> exit [label="[E] Rest"]`,
      `${gate} h -> a [label=Run]; h -> exit [label=rest]`,
      `${gate} h -> a [label=Run]; h -> exit [label=Rest, freeform=true]`,
    ],
  },
  choice_with_condition: {
    finds: [
      [`${gate} h -> a [label=A, condition="k"]; h -> exit`, 'The choice "A" has a condition: it is not offered'],
      [`${gate} h -> a [freeform=true, condition="k"]; h -> exit`, 'The choice "a" has a condition'],
    ],
    passes: [
      `${gate} h -> a [label=A]; h -> exit [label=B]`,
      `${gate} h -> a [condition="outcome=failed"]; h -> exit [label=B]`,
      `${gate} a -> h [label=A, condition="k"]; a -> exit; h -> exit`,
    ],
  },
  branch_failure_goes_on: {
    finds: [
      [fork('j -> exit'), 'When a branch fails (a, b), the run goes on behind the join "j" as if it had not.'],
      [fork('j -> exit', 'a [goal_gate=true]'), 'When a branch fails (b), the run'],
      [fork('d [shape=diamond]; j -> d; d -> exit'), '(a, b)'],
      [fork('j -> exit; j -> a [condition="context.x=outcome"]'), '(a, b)'],
      [`${branches} x [script=x]; f -> a -> x; f -> b -> x -> exit`, 'behind the join "x"'],
      [`${branches} ${joined} d [shape=diamond]; f -> a -> d -> j; f -> b -> j -> exit`, '(b, a)'],
      [`${branches} ${joined} f -> a -> j; a -> a [condition="x"]; f -> b -> j -> exit`, '(a, b)'],
    ],
    passes: [
      fork('j -> exit; j -> stop [condition="outcome=partially_succeeded"]'),
      fork('d [shape=diamond]; j -> d; d -> exit; d -> stop [condition="outcome!=succeeded"]'),
      fork('j -> exit; j -> stop [condition="x=1 && context.parallel.results contains failed"]'),
      fork('x [script=x, stdin_source="parallel.results"]; j -> x -> exit'),
      fork('j -> exit', 'j [auto_status=true]'),
      fork('j -> exit', 'j [prompt="Sum up"]'),
      fork('j -> exit', 'a [auto_status=true]; b [goal_gate=true]'),
      `${branches} ${joined} f -> a -> j; a -> a [condition="outcome=failed"]; f -> b -> j -> exit; b [auto_status=true]`,
      `${branches} d [shape=diamond]; f -> a -> d; f -> b -> d; d -> exit; d -> a [condition="outcome=failed"]`,
      `${branches} x [script=x, stdin_source="context.parallel.results"]; f -> a -> x -> exit; f -> b -> x`,
      `f [shape=component]; w [shape=insulator, duration=1s]; ${joined} f -> w -> j -> exit`,
    ],
  },
  failure_goes_on: {
    finds: [
      [
        `${ends} a [script=x]; b [script=y]; start -> a -> b -> exit`,
        'When the script of "a" fails, the run goes on as if it had not. The same holds for b.',
      ],
    ],
    passes: [
      'a [script=x, goal_gate=true]; b; a -> b',
      'a [script=x]; b; a -> b; a -> b [condition="outcome=failed"]',
      'a [script=x]; d [shape=diamond]; a -> d',
      'a [label=A]; b; a -> b',
    ],
  },
  max_retries_valid: {
    finds: [['a [max_retries=-1]', 'max_retries of node "a" is -1']],
    passes: ['a [max_retries=0]', 'a [max_retries=3]', 'default_max_retries=-1'],
  },
  node_declared_twice: {
    finds: [
      ['a [label=A]; a [label=B]', 'Node "a" is declared twice with another label: "B" replaces "A".'],
      ['a [script=x]; b; a [script=y, timeout=1s]', 'with another script'],
    ],
    passes: [
      'a [label=A]; a [timeout=1s]',
      'a [label=A]; a [label="A"]',
      'node [label=A]; a; a [label=B]',
      'b -> a; a [label=A]',
    ],
  },
  stdin_source_node: {
    finds: [
      [
        'a [script=x, stdin_source="output.bee"]; been',
        'Node "a" reads the output of "bee", and there is no such node.',
      ],
      ['a [script=x, stdin_source="context.output.b"]; b; a -> b', 'no way leads from there to it'],
    ],
    passes: [
      'a [script=x, stdin_source="output.b"]; b; c; b -> c -> a',
      'a [script=x, stdin_source="output.a"]; b; a -> b -> a',
      'a [script=x, stdin_source="command.output"]',
      'a [script=x, stdin_source="output.b.items"]',
    ],
  },
  repeated_failure_limit: {
    finds: [['a [max_visits=4]', 'The same failure 3 times ends the run, though node "a" may be visited 4 times.']],
    passes: ['a [max_visits=3]', 'loop_restart_signature_limit=4 a [max_visits=4]', 'a [max_visits=0]'],
  },
};

describe.each(Object.entries(table))('%s', (rule, { finds, passes }) => {
  it.each(finds)('objects to: %.80s', (body, says) => {
    const found = findings(rule, body);
    expect(found.map(({ message }) => message)).toContainEqual(expect.stringContaining(says));
    const { severity } = rules.find(({ id }) => id === rule)!;
    expect(found.every((finding) => finding.severity === severity)).toBe(true);
  });

  it.each(passes)('lets pass: %.80s', (body) => {
    expect(findings(rule, body)).toEqual([]);
  });
});

describe('rules', () => {
  it('are all shown above, each once', () => {
    expect(rules.map(({ id }) => id).sort()).toEqual(Object.keys(table).sort());
  });

  it('report once what is missing once', () => {
    expect(findings('edge_target_exists', `${ends} start -> b; b -> exit; start -> b; c -> b`)).toHaveLength(2);
  });

  it('sort unreachable nodes by id', () => {
    const lost = findings('reachability', `${ends} start -> exit; z; b; m`);
    expect(lost.map(({ nodeId }) => nodeId)).toEqual(['b', 'm', 'z']);
  });

  it('point at the value that is wrong, in the node or in the defaults it came from', () => {
    const [inherited, own] = findings('fidelity_valid', 'node [fidelity=most]; a; b [fidelity="more"]');
    expect(inherited).toMatchObject({ nodeId: 'a', range: { start: { column: 28 }, end: { column: 32 } } });
    expect(own).toMatchObject({ nodeId: 'b', range: { start: { column: 50 }, end: { column: 56 } } });
  });

  it('take a name that is nearly an attribute more seriously than a foreign one', () => {
    expect(findings('attribute_known', 'a [timeot=5s, owner=me]').map(({ severity }) => severity)).toEqual([
      'warning',
      'info',
    ]);
  });

  it('suggest the word that a value is compared with', () => {
    const fixOf = (condition: string) =>
      findings('condition_value', `${ends} start -> exit [condition="${condition}"]`)[0]?.fix;
    expect(fixOf('outcome=success')).toBe('Did you mean "succeeded"?');
    expect(fixOf('outcome!=fail')).toBe('Did you mean "failed"?');
    expect(fixOf('outcome=ok')).toBe('Compare it with succeeded, failed, partially_succeeded or skipped.');
    expect(fixOf('failure_class=cancelled')).toBe('Did you mean "canceled"?');
    expect(fixOf('ready=True')).toBe('Did you mean "true"?');
  });

  it('suggest the nearest name', () => {
    expect(findings('edge_target_exists', `${ends} review; start -> reveiw`)[0]?.fix).toBe('Did you mean "review"?');
    expect(findings('type_known', 'a [type=comand]')[0]?.fix).toBe('Did you mean "command"?');
    expect(findings('attribute_known', 'a [timeot=5s]')[0]?.fix).toBe('Did you mean "timeout"?');
    expect(findings('attribute_value', 'a [timeout=30]')[0]).toMatchObject({
      severity: 'warning',
      message: 'The node attribute timeout has no unit: "30" is read as seconds.',
      fix: 'Write timeout=30s.',
    });
    expect(findings('node_model_known', 'a [model=bset]')[0]?.fix).toBe('Did you mean "best"?');
    expect(findings('stylesheet_model_known', 'model_stylesheet="* {provider: lob}"')[0]?.fix).toBe(
      'Did you mean "lab"?',
    );
  });

  it('doubt no model without a catalogue', () => {
    const body = 'model_stylesheet="* {model: nonsense}" start; exit; a [label=A, provider=nobody]; start -> a -> exit';
    expect(compile(`digraph W { ${body} }`).diagnostics).toEqual([]);
  });
});
