import { quote } from '../../diagnostics/wording.js';
import { type DraftAttributes } from '../../graph/draft-attribute.js';
import { type Rule } from '../rule.js';
import { faultInAcpConfig } from '../checks/acp-config.js';

/** Decided by the external agent itself, so that a value here could only be ignored. */
const API_ONLY = ['model', 'provider', 'reasoning_effort', 'max_tokens', 'speed', 'output_schema'];

const ATTRIBUTES = ['backend', 'acp.command', 'acp.config', 'acp_command'];

export const backendValid: Rule = {
  id: 'backend_valid',
  severity: 'error',
  *check(workflow) {
    for (const node of new Set(ATTRIBUTES.flatMap((attribute) => workflow.nodesWith(attribute)))) {
      const written = workflow.written(node);
      for (const { attribute, message } of faults(node.kind, written)) {
        yield workflow.onNode(node, `Node ${quote(node.id)}: ${message}`, { attribute });
      }
    }
  },
};

interface Fault {
  attribute: string;
  message: string;
}

function* faults(kind: string, written: DraftAttributes): Generator<Fault> {
  const backend = written.text('backend') ?? 'api';
  if (written.get('acp_command')) {
    yield { attribute: 'acp_command', message: 'acp_command is no longer read; write acp.command.' };
  }
  if (backend === 'cli') {
    yield { attribute: 'backend', message: 'the backend "cli" no longer exists; use api or acp.' };
  } else if (backend !== 'api' && backend !== 'acp') {
    yield { attribute: 'backend', message: `${quote(backend)} is not a backend; use api or acp.` };
  }
  if (kind === 'prompt' && backend === 'acp') {
    yield { attribute: 'backend', message: 'a prompt node has the backend api only; acp needs an agent node.' };
  }
  if (kind !== 'agent') return;
  if (backend === 'acp') yield* faultsOfAcp(written);
  else yield* strayAcp(written);
}

function* faultsOfAcp(written: DraftAttributes): Generator<Fault> {
  const command = written.words('acp.command');
  const config = written.words('acp.config');
  if (command === undefined && config === undefined) {
    yield { attribute: 'backend', message: 'the backend acp needs acp.command or acp.config.' };
  }
  if (command !== undefined && config !== undefined) {
    yield { attribute: 'acp.config', message: 'acp.command and acp.config exclude each other; keep one.' };
  }
  const fault = config === undefined ? undefined : faultInAcpConfig(config);
  if (fault !== undefined) yield { attribute: 'acp.config', message: `acp.config ${fault}` };
  for (const attribute of API_ONLY) {
    if (written.get(attribute)) yield { attribute, message: `${attribute} is not supported with the backend acp.` };
  }
}

function* strayAcp(written: DraftAttributes): Generator<Fault> {
  for (const attribute of ['acp.command', 'acp.config']) {
    if (written.get(attribute)) yield { attribute, message: `${attribute} needs backend=acp.` };
  }
}
