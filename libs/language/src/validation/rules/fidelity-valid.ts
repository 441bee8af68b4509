import { anyOf, quote } from '../../diagnostics/wording.js';
import { type DraftAttributes } from '../../graph/draft-attribute.js';
import { fidelities } from '../../graph/fidelity.js';
import { type Rule } from '../rule.js';

const fix = `Use ${anyOf(fidelities)}.`;

export const fidelityValid: Rule = {
  id: 'fidelity_valid',
  severity: 'warning',
  *check(workflow) {
    const ofGraph = unknownFidelity(workflow.draft.attributes, 'default_fidelity');
    if (ofGraph !== undefined) {
      yield workflow.onGraph(`default_fidelity is ${quote(ofGraph)}, which is no fidelity.`, {
        attribute: 'default_fidelity',
        fix,
      });
    }
    for (const node of workflow.nodesWith('fidelity')) {
      const value = unknownFidelity(workflow.written(node), 'fidelity');
      if (value === undefined) continue;
      yield workflow.onNode(node, `The fidelity of node ${quote(node.id)} is ${quote(value)}, which is none.`, {
        attribute: 'fidelity',
        fix,
      });
    }
    for (const edge of workflow.edgesWith('fidelity')) {
      const value = unknownFidelity(workflow.written(edge), 'fidelity');
      if (value === undefined) continue;
      yield workflow.onEdge(
        edge,
        `The fidelity of the edge ${edge.from} -> ${edge.to} is ${quote(value)}, which is none.`,
        { attribute: 'fidelity', fix },
      );
    }
  },
};

function unknownFidelity(written: DraftAttributes, key: string): string | undefined {
  return written.oneOf(key, fidelities) === undefined ? written.text(key) : undefined;
}
