export { canonicalPath, type BundledFiles } from './bundle/bundle.js';
export { compile, type Compilation, type CompileOptions } from './compile.js';
export { compileCondition } from './conditions/compile-condition.js';
export { type Condition, type ConditionScope } from './conditions/condition.js';
export { evaluate } from './conditions/evaluate.js';
export { isError, type Diagnostic, type Related, type Severity } from './diagnostics/diagnostic.js';
export { type CompileEffort } from './effort.js';
export { formatDiagnostic } from './diagnostics/format-diagnostic.js';
export { choiceKey } from './graph/choice-key.js';
export { type Edge } from './graph/edge.js';
export { type Fidelity } from './graph/fidelity.js';
export { GraphIndex } from './graph/graph-index.js';
export {
  type AgentBackend,
  type AgentNode,
  type ChildWorkflow,
  type CommandNode,
  type ConditionalNode,
  type Direction,
  type ExitNode,
  type FanInNode,
  type Graph,
  type GraphAttributes,
  type HumanNode,
  type ManagerLoopNode,
  type ModelSettings,
  type Node,
  type NodeCommon,
  type OutputSchema,
  type ParallelNode,
  type PromptNode,
  type QuestionType,
  type RetryPolicyName,
  type ScriptLanguage,
  type Selection,
  type StartNode,
  type WaitNode,
} from './graph/graph.js';
export { type RawAttributes } from './graph/raw-attributes.js';
export { type HandlerKind } from './graph/handler-kind.js';
export { format, type Formatted } from './printing/format.js';
export { printGraph } from './printing/print-graph.js';
export { type TextPosition, type Range, type Span } from './source/source-text.js';
export { type Place } from './source/sources.js';
export { parse, type Parsed } from './syntax/parse.js';
export {
  type Assignment,
  type Attribute,
  type DefaultsStatement,
  type Document,
  type EdgeStatement,
  type GraphAttributesStatement,
  type Identifier,
  type Literal,
  type LiteralForm,
  type NodeStatement,
  type DotStatement,
  type Subgraph,
} from './syntax/tree.js';
export { includesIn, type IncludedFile } from './templates/jinja/includes-in.js';
export { GOAL_VARIABLE, variableOfInput } from './templates/scripts/script-variables.js';
export { type ReadInputs } from './templates/inputs-read.js';
export { type InputValue, type TemplateScope } from './templates/template-scope.js';
export { type ModelNames } from './validation/model-names.js';
