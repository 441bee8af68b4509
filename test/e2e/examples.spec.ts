import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Run } from '../support/api-caller.js';
import { typedAt, type Typed } from '../support/cli/typed-at.js';
import { specServer } from '../support/spec-server.js';

const EXAMPLES = resolve('examples');

/** How an example is played to its end where nobody is and no model knows anything. */
interface Play {
  inputs?: string[];
  /** What a spec cannot wait for, and what stands in for it. */
  instead?: Record<string, string>;
  /** Some of the nodes that the run has to come through. */
  through: string[];
}

const plays: Record<string, Play> = {
  quickstart: { through: ['survey', 'report', 'settle'] },
  'data-pipeline': { through: ['set_aside', 'sum_up', 'load'] },
  // The project says that somebody is at work on the machine, so what is wrong with it does not matter.
  'incident-runbook': { through: ['measure', 'judge', 'all_well'] },
  release: {
    instead: { 'duration=20m': 'duration=1s' },
    through: ['publish_draft', 'tag', 'soak', 'release', 'announce'],
  },
  'plan-approve-implement': { through: ['implement', 'test', 'review'] },
  'fix-until-green': {
    inputs: ['test_command=test -e tried || { touch tried; exit 1; }'],
    through: ['fix', 'green'],
  },
  'parallel-review': { through: ['correctness', 'coverage', 'findings', 'verdict'] },
  triage: { through: ['each', 'sort', 'count', 'save'] },
  'nightly-dependency-update': { through: ['outdated', 'chore'] },
  'spec-conformance': {
    inputs: ['lint_command=false'],
    through: ['implement', 'build', 'tests', 'lint', 'clauses'],
  },
  'documentation-writer': {
    through: ['outline', 'facts.check', 'facts.correct.apply', 'language.check', 'try_out'],
  },
  'sub-workflow': { through: ['repair', 'repair.pick', 'smoke.check', 'watch.look'] },
  ensemble: { through: ['claude', 'gpt', 'gemini', 'deepseek', 'judge', 'work_out'] },
};

/** Two of its stages are agents made elsewhere, which no server executes yet. */
const REFUSED = 'external-agent';

const server = await specServer();

it('are all played', () => {
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...Object.keys(plays), REFUSED].sort()).toEqual(folders.map(({ name }) => name).sort());
});

describe('an example', () => {
  it.each(Object.entries(plays))('%s comes to its end', async (name, play) => {
    const project = await projectFor(name, play);
    const inputs = (play.inputs ?? []).flatMap((input) => ['-I', input]);
    const { id } = await created(project, name, '--provider', 'simulated', '--auto-approve', ...inputs);
    await server.caller.start(id);
    const run = await server.caller.ends(id, 20_000);
    expect([run.lifecycle.status, run.lifecycle.error]).toEqual([{ kind: 'succeeded', reason: 'completed' }, null]);
    expect(await nodesOf(id)).toEqual(expect.arrayContaining(play.through));
  });

  it(`${REFUSED} is refused when it is created, by the name of what cannot be executed`, async () => {
    const { exitCode, stdout, stderr } = await create(await projectFor(REFUSED), REFUSED);
    expect([exitCode, stdout]).toEqual([2, '']);
    for (const node of ['first', 'second']) {
      expect(stderr).toContain(`Node "${node}" wants an external agent (backend=acp), which this server cannot start.`);
    }
  });
});

/** A repository with the examples in it, on a branch that adds something, with nothing to install. */
async function projectFor(name: string, { instead = {} }: Partial<Play> = {}): Promise<string> {
  const project = join(server.caller.directory, name);
  const folder = join(project, 'examples', name);
  await cp(join(EXAMPLES, name), folder, { recursive: true });
  const main = join(project, mainOf(name));
  let source = await readFile(main, 'utf8');
  for (const [text, other] of Object.entries(instead)) {
    expect(source).toContain(text);
    source = source.replace(text, other);
  }
  await writeFile(main, source);
  await writeFile(join(project, 'package.json'), JSON.stringify({ scripts: { build: 'true', test: 'true' } }));
  await writeFile(join(project, 'MAINTENANCE'), '');
  const git = (...args: string[]) => promisify(execFile)('git', ['-C', project, ...args]);
  await git('init', '--quiet', '--initial-branch=main');
  await git('config', 'user.name', 'A person');
  await git('config', 'user.email', 'person@example.com');
  await git('add', '--all');
  await git('commit', '--quiet', '--message=Begin');
  await git('switch', '--quiet', '--create=topic');
  await writeFile(join(project, 'new.txt'), 'new\n');
  await git('add', '--all');
  await git('commit', '--quiet', '--message=Add something');
  return project;
}

/** Creates the run of an example as a person would, in the project. */
async function created(...typed: Parameters<typeof create>): Promise<Run> {
  const { exitCode, stdout, stderr } = await create(...typed);
  if (exitCode !== 0) throw new Error(`The run was not created (${exitCode}): ${stderr}`);
  return JSON.parse(stdout) as Run;
}

function create(project: string, name: string, ...options: string[]): Promise<Typed> {
  return typedAt(server, project, ['create', mainOf(name), '--json', ...options]);
}

function mainOf(name: string): string {
  return `examples/${name}/${name === 'documentation-writer' ? 'documentation.dot' : 'workflow.dot'}`;
}

async function nodesOf(id: string): Promise<string[]> {
  return (await server.caller.stages(id)).map(({ node_id }) => node_id);
}
