import { type Rule } from './rule.js';
import { allConditionalEdges } from './rules/all-conditional-edges.js';
import { attributeKnown } from './rules/attribute-known.js';
import { attributeValue } from './rules/attribute-value.js';
import { backendValid } from './rules/backend-valid.js';
import { branchFailureGoesOn } from './rules/branch-failure-goes-on.js';
import { childWorkflow } from './rules/child-workflow.js';
import { choiceKeysDistinct } from './rules/choice-keys-distinct.js';
import { choiceWithCondition } from './rules/choice-with-condition.js';
import { commandRequiresScript } from './rules/command-requires-script.js';
import { conditionSyntax } from './rules/condition-syntax.js';
import { conditionValue } from './rules/condition-value.js';
import { defaultChoiceExists } from './rules/default-choice-exists.js';
import { detemplatedAttribute } from './rules/detemplated-attribute.js';
import { directionValid } from './rules/direction-valid.js';
import { edgeCount } from './rules/edge-count.js';
import { edgeTargetExists } from './rules/edge-target-exists.js';
import { exitNoOutgoing } from './rules/exit-no-outgoing.js';
import { failureGoesOn } from './rules/failure-goes-on.js';
import { fidelityValid } from './rules/fidelity-valid.js';
import { forEachContract } from './rules/for-each-contract.js';
import { freeformEdgeCount } from './rules/freeform-edge-count.js';
import { goalGateHasRetry } from './rules/goal-gate-has-retry.js';
import { goalSelfReference } from './rules/goal-self-reference.js';
import { graphSize } from './rules/graph-size.js';
import { importError } from './rules/import-error.js';
import { inertAttribute } from './rules/inert-attribute.js';
import { joinPolicyRemoved } from './rules/join-policy-removed.js';
import { languageValid } from './rules/language-valid.js';
import { managerRequiresChild } from './rules/manager-requires-child.js';
import { maxRetriesValid } from './rules/max-retries-valid.js';
import { nodeDeclaredTwice } from './rules/node-declared-twice.js';
import { nodeModelKnown } from './rules/node-model-known.js';
import { orphanCustomOutcome } from './rules/orphan-custom-outcome.js';
import { outputSchemaValid } from './rules/output-schema-valid.js';
import { parallelBranchInertAttribute } from './rules/parallel-branch-inert-attribute.js';
import { parallelJoin } from './rules/parallel-join.js';
import { promptOnLlmNodes } from './rules/prompt-on-llm-nodes.js';
import { questionTypeValid } from './rules/question-type-valid.js';
import { randomSelectionNoConditions } from './rules/random-selection-no-conditions.js';
import { reachability } from './rules/reachability.js';
import { repeatedFailureLimit } from './rules/repeated-failure-limit.js';
import { reservedKeywordNodeId } from './rules/reserved-keyword-node-id.js';
import { retryPolicyKnown } from './rules/retry-policy-known.js';
import { retryTargetExists } from './rules/retry-target-exists.js';
import { scriptAbsoluteCd } from './rules/script-absolute-cd.js';
import { scriptPromptConflict } from './rules/script-prompt-conflict.js';
import { scriptTokenPlace } from './rules/script-token-place.js';
import { scriptTokenUnknown } from './rules/script-token-unknown.js';
import { scriptVariableUnquoted } from './rules/script-variable-unquoted.js';
import { selectionValid } from './rules/selection-valid.js';
import { shapeKnown } from './rules/shape-known.js';
import { simulateJson } from './rules/simulate-json.js';
import { startNoIncoming } from './rules/start-no-incoming.js';
import { startNode } from './rules/start-node.js';
import { stdinSourceNode } from './rules/stdin-source-node.js';
import { stdinSourceValid } from './rules/stdin-source-valid.js';
import { stylesheetModelKnown } from './rules/stylesheet-model-known.js';
import { stylesheetSyntax } from './rules/stylesheet-syntax.js';
import { syntax } from './rules/syntax.js';
import { templateSyntax } from './rules/template-syntax.js';
import { templateUndefinedVariable } from './rules/template-undefined-variable.js';
import { terminalNode } from './rules/terminal-node.js';
import { textLength } from './rules/text-length.js';
import { threadIdRequiresFidelityFull } from './rules/thread-id-requires-fidelity-full.js';
import { timeoutPositive } from './rules/timeout-positive.js';
import { typeKnown } from './rules/type-known.js';
import { unresolvedFileRef } from './rules/unresolved-file-ref.js';
import { waitRequiresDuration } from './rules/wait-requires-duration.js';

/** Every rule, in the order in which their findings are reported. */
export const rules: readonly Rule[] = [
  syntax,
  startNode,
  terminalNode,
  reachability,
  edgeTargetExists,
  startNoIncoming,
  exitNoOutgoing,
  conditionSyntax,
  conditionValue,
  stylesheetSyntax,
  stylesheetModelKnown,
  nodeModelKnown,
  attributeValue,
  timeoutPositive,
  maxRetriesValid,
  nodeDeclaredTwice,
  graphSize,
  textLength,
  edgeCount,
  typeKnown,
  shapeKnown,
  backendValid,
  fidelityValid,
  retryTargetExists,
  retryPolicyKnown,
  goalGateHasRetry,
  promptOnLlmNodes,
  freeformEdgeCount,
  questionTypeValid,
  defaultChoiceExists,
  choiceWithCondition,
  choiceKeysDistinct,
  forEachContract,
  parallelJoin,
  stdinSourceValid,
  stdinSourceNode,
  directionValid,
  reservedKeywordNodeId,
  allConditionalEdges,
  orphanCustomOutcome,
  scriptAbsoluteCd,
  commandRequiresScript,
  scriptPromptConflict,
  languageValid,
  outputSchemaValid,
  waitRequiresDuration,
  managerRequiresChild,
  childWorkflow,
  importError,
  unresolvedFileRef,
  goalSelfReference,
  templateSyntax,
  templateUndefinedVariable,
  scriptTokenPlace,
  scriptTokenUnknown,
  scriptVariableUnquoted,
  detemplatedAttribute,
  joinPolicyRemoved,
  threadIdRequiresFidelityFull,
  selectionValid,
  simulateJson,
  randomSelectionNoConditions,
  inertAttribute,
  parallelBranchInertAttribute,
  attributeKnown,
  branchFailureGoesOn,
  failureGoesOn,
  repeatedFailureLimit,
];
