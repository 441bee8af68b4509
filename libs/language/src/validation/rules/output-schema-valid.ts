import { isJsonObject } from '#libs/kernel';
import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';
import { parseJson } from '../checks/parse-json.js';

export const outputSchemaValid: Rule = {
  id: 'output_schema_valid',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesWith('output_schema')) {
      const schema = workflow.written(node).text('output_schema')?.trim();
      if (schema === undefined || schema === 'routing' || schema.startsWith('@')) continue;
      if (isJsonObject(parseJson(schema))) continue;
      const message = `Invalid output_schema for node ${quote(node.id)}: it is neither the word routing nor a JSON Schema object.`;
      yield workflow.onNode(node, message, { attribute: 'output_schema' });
    }
  },
};
