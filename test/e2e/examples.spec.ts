import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { appendFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { runyard } from '../../apps/cli/src/program.js';
import { type Run, type QuestionAnswer } from '../support/api-caller.js';
import { faultsIn } from '../support/checker.js';
import { CapturedScreen } from '../support/cli/captured-screen.js';
import { testServer, type TestServer } from '../support/server.js';

jest.setTimeout(30_000);

const EXAMPLES = resolve('examples');

/** How an example is played to its end where nobody is and no model knows anything. */
interface Play {
  inputs?: string[];
  /** What the model is made to answer, by prompt: without it the simulated one chats. */
  says?: Record<string, unknown>;
  /** What a spec cannot wait for or has no key for, and what stands in for it. */
  instead?: Record<string, string>;
  /** The answers, by gate. */
  answers?: Record<string, QuestionAnswer>;
  /** Some of the nodes that the run has to come through. */
  through: string[];
}

const yes: QuestionAnswer = { kind: 'yes' };
const choose = (option_key: string): QuestionAnswer => ({ kind: 'selected', option_key });

const plays: Record<string, Play> = {
  quickstart: { through: ['survey', 'report', 'settle'] },
  'data-pipeline': { through: ['set_aside', 'sum_up', 'load'] },
  // The project says that somebody is at work on the machine, so what is wrong with it does not matter.
  'incident-runbook': { through: ['measure', 'judge', 'all_well'] },
  release: {
    instead: { 'duration=20m': 'duration=1s' },
    answers: { sign_notes: choose('S'), sign_release: yes },
    through: ['publish_draft', 'tag', 'soak', 'release', 'announce'],
  },
  'plan-approve-implement': {
    inputs: ['test_command=true'],
    says: { 'review.md': { preferred_next_label: 'Ship' } },
    answers: { approve: choose('A') },
    through: ['implement', 'test', 'review'],
  },
  'fix-until-green': {
    inputs: ['test_command=test -e tried || { touch tried; exit 1; }'],
    through: ['fix', 'green'],
  },
  'parallel-review': {
    inputs: ['test_command=true'],
    says: { 'verdict.md': { preferred_next_label: 'Clean' } },
    through: ['correctness', 'coverage', 'findings', 'verdict'],
  },
  triage: {
    says: { 'sort.md': { kind: 'bug', urgency: 'now', area: 'engine', summary: 'It hangs', ask: 'Nothing' } },
    answers: { wake: yes },
    through: ['each', 'sort', 'count', 'save', 'wake'],
  },
  'nightly-dependency-update': { through: ['outdated', 'chore'] },
  'spec-conformance': {
    inputs: ['build_command=true', 'test_command=true', 'lint_command=false'],
    says: { 'clauses.md': { outcome: 'succeeded' } },
    answers: { agree: choose('Y') },
    through: ['implement', 'build', 'tests', 'lint', 'clauses'],
  },
  'documentation-writer': {
    says: { 'try-out.md': { preferred_next_label: 'It works' } },
    through: ['outline', 'facts.check', 'facts.correct.apply', 'language.check', 'try_out'],
  },
  'sub-workflow': {
    says: { 'pick.md': { context_updates: { findings_open: 0 } } },
    through: ['repair', 'repair.pick', 'smoke.check', 'watch.look'],
  },
};

/** Asks models of four providers, by name: without their keys it can only be walked through. */
const DRY = 'ensemble';

/** Two of its stages are agents made elsewhere, which no server executes yet. */
const REFUSED = 'external-agent';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(async () => {
  const faults = await faultsIn(server.databaseUrl, { views: server.platform.views, limit: server.limit });
  await server.close();
  expect(faults).toEqual([]);
});

it('are all played', () => {
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...Object.keys(plays), DRY, REFUSED].sort()).toEqual(folders.map(({ name }) => name).sort());
});

describe('an example', () => {
  it.each(Object.entries(plays))('%s comes to its end', async (name, play) => {
    const project = await projectFor(name, play);
    const inputs = (play.inputs ?? []).flatMap((input) => ['-I', input]);
    const { id } = await created(project, name, '--provider', 'simulated', ...inputs);
    await server.caller.start(id);
    const run = await answered(id, play.answers ?? {});
    expect([run.lifecycle.status, run.lifecycle.error]).toEqual([{ kind: 'succeeded', reason: 'completed' }, null]);
    expect(await nodesOf(id)).toEqual(expect.arrayContaining(play.through));
  });

  it(`${DRY} comes to its end in a dry run`, async () => {
    const { id } = await created(await projectFor(DRY), DRY, '--dry-run');
    await server.caller.start(id);
    const run = await server.caller.ends(id);
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(await nodesOf(id)).toEqual(
      expect.arrayContaining(['claude', 'gpt', 'gemini', 'deepseek', 'judge', 'work_out']),
    );
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
async function projectFor(name: string, { says = {}, instead = {} }: Partial<Play> = {}): Promise<string> {
  const project = join(server.caller.directory, name);
  const folder = join(project, 'examples', name);
  await cp(join(EXAMPLES, name), folder, { recursive: true });
  for (const [prompt, answer] of Object.entries(says)) {
    await appendFile(join(folder, 'prompts', prompt), `\nsimulate: ${JSON.stringify({ json: answer })}\n`);
  }
  const main = join(project, mainOf(name));
  let source = await readFile(main, 'utf8');
  for (const [text, other] of Object.entries(instead)) {
    expect(source).toContain(text);
    source = source.replace(text, other);
  }
  await writeFile(main, source);
  await writeFile(join(project, 'package.json'), '{}\n');
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

async function create(
  project: string,
  name: string,
  ...options: string[]
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const screen = new CapturedScreen();
  const env = {
    ...process.env,
    RUNYARD_HOME: server.host.stateDirectory,
    RUNYARD_SERVER: server.url,
    RUNYARD_TOKEN: server.caller.token!,
  };
  const args = ['create', mainOf(name), '--json', ...options];
  const exitCode = await runyard(args, { env, cwd: project, stdin: Readable.from([]), screen });
  return { exitCode, ...screen.written };
}

function mainOf(name: string): string {
  return `examples/${name}/${name === 'documentation-writer' ? 'documentation.dot' : 'workflow.dot'}`;
}

/** Answers what the run asks until it is over. */
async function answered(id: string, answers: Record<string, QuestionAnswer>): Promise<Run> {
  for (let run = await server.caller.get(id); ; run = await server.caller.get(id)) {
    if (['succeeded', 'failed', 'dead'].includes(run.lifecycle.status.kind)) return run;
    for (const { id: question, stage, options } of await server.caller.questions(id)) {
      const answer = answers[stage];
      if (!answer) throw new Error(`Nobody says how ${stage} is answered: ${JSON.stringify(options)}.`);
      await server.caller.answer(id, question, answer);
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function nodesOf(id: string): Promise<string[]> {
  return (await server.caller.stages(id)).map(({ node_id }) => node_id);
}
