import { describe, expect, it } from '@jest/globals';
import type { RunManifestRequest } from './dto/run-manifest.js';
import { resolveSettings, type ServerDefaults } from './run-settings.js';
import { unsupportedSettings } from './unsupported-settings.js';

const SERVER: ServerDefaults = {
  model: 'of-server',
  environment: 'default',
  environments: {
    default: { provider: 'local', env: { A: '1' }, labels: {} },
    box: { provider: 'docker', env: {}, labels: {} },
  },
  providers: ['local'],
  hooksReach: 'public',
};

interface Files {
  user?: string;
  project?: string;
  workflow?: string;
}

function manifest({ user, project, workflow }: Files, args: RunManifestRequest['args'] = {}): RunManifestRequest {
  return {
    version: 1,
    cwd: '/work',
    target: { identifier: 'w', path: 'w.dot' },
    args,
    configs: [
      ...(user === undefined ? [] : [{ type: 'user' as const, source: user }]),
      ...(project === undefined ? [] : [{ type: 'project' as const, path: '.runyard/project.toml', source: project }]),
    ],
    workflows: {
      'w.dot': {
        source: 'digraph W {}',
        ...(workflow !== undefined && { config: { path: 'workflow.toml', source: workflow } }),
      },
    },
  };
}

const resolve = (files: Files, args?: RunManifestRequest['args']) => resolveSettings(manifest(files, args), SERVER);

describe('settings of a run', () => {
  it('are those of the server where nobody says anything', () => {
    expect(resolve({})).toMatchObject({
      workflow: { graph: 'w.dot' },
      run: {
        goal: null,
        model: { name: 'of-server' },
        environment: { id: 'default', provider: 'local', env: { A: '1' } },
        run_branch: { enabled: false },
        execution: { mode: 'normal', approval: 'prompt' },
      },
    });
  });

  it('have inputs, labels and variables of any name', () => {
    const names = ['__proto__', 'constructor', 'toString', 'a'];
    const given = names.map((name) => `${name}=${name} is given`);
    const env = names.map((name) => `"${name}" = "${name} is given"`).join('\n');
    const { run } = resolve({ project: `[run.environment.env]\n${env}` }, { input: given, label: given });
    const expected = names.map((name) => [name, `${name} is given`]);
    for (const values of [run.inputs, run.metadata]) {
      expect(Object.entries(values)).toEqual(expect.arrayContaining(expected));
      expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
    }
    expect(Object.entries(run.environment.env)).toEqual(expect.arrayContaining(expected.slice(1)));
  });

  it('are of the user, the project, the workflow and the arguments, the later over the earlier', () => {
    const name = (model: string): string => `[run.model]\nname = "${model}"`;
    expect(resolve({ user: name('u') }).run.model.name).toBe('u');
    expect(resolve({ user: name('u'), project: name('p') }).run.model.name).toBe('p');
    expect(resolve({ user: name('u'), project: name('p'), workflow: name('w') }).run.model.name).toBe('w');
    expect(resolve({ workflow: name('w') }, { model: 'a' }).run.model.name).toBe('a');
  });

  it('take inputs of one layer whole, and single ones of the arguments', () => {
    const files = { project: '[run.inputs]\na = 0\nb = 2', workflow: '[run.inputs]\na = 1' };
    expect(resolve(files).run.inputs).toEqual({ a: 1 });
    expect(resolve(files, { input: ['b=3', 'b=4'] }).run.inputs).toEqual({ a: 1, b: 4 });
  });

  it('take labels as metadata, and the arguments of a run as what they mean', () => {
    const { run } = resolve(
      { workflow: '[run.metadata]\nteam = "x"\n[run]\ngoal = { file = "goal.md" }' },
      { dry_run: true, auto_approve: true, label: ['team=web', 'ignored'] },
    );
    expect(run).toMatchObject({
      goal: { type: 'file', value: 'goal.md' },
      metadata: { team: 'web' },
      execution: { mode: 'dry_run', approval: 'auto' },
      environment: { provider: 'local' },
    });
  });

  it('let a run say more about its environment', () => {
    const workflow = '[run.environment]\nid = "mine"\nenv = { B = "2" }\n[environments.mine]\nprovider = "local"';
    expect(resolve({ workflow }).run.environment).toMatchObject({ id: 'mine', provider: 'local', env: { B: '2' } });
  });

  it.each([
    [{ workflow: '[run]\ncolour = 1' }, {}, 'workflow.toml:2: run.colour is an unknown key'],
    [{ project: 'nonsense' }, {}, '.runyard/project.toml:1:1 is no TOML'],
    [{ user: '_version = 7' }, {}, 'settings.toml:1: _version settings schema version 7 is newer'],
    [{}, { environment: 'moon' }, 'args.environment names "moon", which does not exist'],
    [{ workflow: '[run.environment]\nid = "moon"' }, {}, 'run.environment.id names "moon"'],
    [{}, { environment: 'box' }, 'needs the sandbox provider "docker", which is not configured here'],
    [{}, { input: ['a=[1]'] }, 'does not support'],
    [{ workflow: '[run.environment.network]\nmode = "block"' }, {}, 'has no network mode "block"'],
    [{ workflow: '[run.environment.env]\nX = "{{ env.HOME }}"' }, {}, 'environments.default.env.X: {{ env.HOME }}'],
    [{ workflow: '[run.environment.env]\nX = "{{ vars.GONE }}"' }, {}, 'names the variable "GONE"'],
  ])('%j with %j are refused', (files, args, says) => {
    expect(() => resolve(files, args)).toThrow(says);
  });

  it('name what this server does not do', () => {
    const workflow = '[run]\nworking_dir = "x"\n[[run.prepare.steps]]\nscript = "ls"\n[run.run_branch]\nenabled = true';
    expect(unsupportedSettings(resolve({ workflow }), SERVER)).toEqual([
      expect.stringContaining('run.working_dir'),
      expect.stringContaining('run.prepare.steps'),
      expect.stringContaining('run.run_branch.enabled'),
    ]);
    expect(unsupportedSettings(resolve({}), SERVER)).toEqual([]);
  });

  it('leave hooks without encryption to a server that lets them post anywhere', () => {
    const workflow = '[[run.hooks]]\nevent = "run_start"\nurl = "http://127.0.0.1"\ntls = "off"';
    const asked = resolve({ workflow });
    expect(unsupportedSettings(asked, SERVER)).toEqual([expect.stringContaining('run.hooks with tls = "off"')]);
    expect(unsupportedSettings(asked, { hooksReach: 'anywhere' })).toEqual([]);
  });
});
