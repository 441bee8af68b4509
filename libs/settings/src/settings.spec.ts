import { describe, expect, it } from '@jest/globals';
import {
  contradictionsIn,
  limitsOf,
  mergeLayers,
  parseInput,
  parseLayer,
  resolveEnvironment,
  resolveLayer,
  type Layer,
} from './index.js';

function layerOf(source: string): Layer {
  const parsed = parseLayer(source, 'workflow.toml');
  if ('faults' in parsed) throw new Error(parsed.faults.join('\n'));
  return parsed.layer;
}

function faultsIn(source: string): string[] {
  const parsed = parseLayer(source, 'workflow.toml');
  return 'faults' in parsed ? parsed.faults : [];
}

const merged = (...sources: string[]): Layer => mergeLayers(sources.map(layerOf));

describe('a settings file', () => {
  it.each([
    ['version = 1', 'version is an unknown top-level settings key: rename it to _version.'],
    ['_version = 2', 'settings schema version 2 is newer than this build supports.'],
    ['goal = "x"', 'goal is an unknown top-level settings key: it belongs in [run].'],
    ['vars = {}', 'it belongs in [run.inputs].'],
    ['colour = 1', 'colour is an unknown top-level settings key.'],
    ['[run]\ncolour = 1', 'run.colour is an unknown key.'],
    ['[run.model.controls]\nspead = "x"', 'run.model.controls.spead is an unknown key. Did you mean "speed"?'],
    ['[run.prepare]\ntimeout = "1h30m"', 'run.prepare.timeout must be a duration with one unit'],
    ['[run.prepare]\ntimeout = "366d"', 'and at most 365d'],
    ['[run.prepare]\ntimeout = 30', 'run.prepare.timeout must be a text.'],
    [
      '[[run.prepare.steps]]\nscript="a"\ncommand=["b"]',
      'run.prepare.steps.0 exactly one of script or command must be set.',
    ],
    ['[[run.hooks]]\nevent="run_start"', 'exactly one of script, command, url or prompt must be set.'],
    ['[[run.hooks]]\nscript="x"', 'run.hooks.0.event must be set.'],
    ['[[run.hooks]]\nevent="dance"\nscript="x"', 'run.hooks.0.event must be one of run_start, '],
    ['[[run.hooks]]\nevent="run_start"\nurl="http://x"', 'the url must be https, or http with tls = "off"'],
    ['[run.inputs]\na = [1]', 'run.inputs.a'],
    ['[run.inputs]\na = 2026-01-01', 'run.inputs.a'],
    ['[run.execution]\nmode = "fast"', 'run.execution.mode must be one of normal, dry_run.'],
    ['[environments.Big]\nprovider = "local"', 'environments.Big'],
    ['[environments.a]\nprovider = "moon"', 'environments.a.provider must be one of local, docker, cloud.'],
    ['[environments.a]\ncwd = "/x"', 'environments.a.cwd is server-managed and cannot be set in this file.'],
    ['[environments.a.network]\nallow = ["10.0.0.300/8"]', 'must be a CIDR'],
    ['[environments.a.resources]\nmemory = "4 parsecs"', 'must be a size'],
    ['[run.agent.mcps.a]\ntype = "http"', 'exactly the type http has a url.'],
    ['[run]\ngoal = "x', ':2:8 is no TOML'],
  ])('%j is refused', (source, says) => {
    expect(faultsIn(source)).toContainEqual(expect.stringContaining(says));
  });

  it('names the file, and all that is wrong at once', () => {
    const faults = faultsIn('log = 1\n[run]\ngoal = 5\nx = 1');
    expect(faults.map((fault) => fault.split(' ').slice(0, 2).join(' ')).sort()).toEqual([
      'workflow.toml:1: log',
      'workflow.toml:3: run.goal',
      'workflow.toml:4: run.x',
    ]);
  });

  it.each([
    ['grph = "a.dot"', 1, undefined],
    ['[workflow]\n# about it\ngrph = "a.dot"', 3, 'graph'],
    ['[run.enviroment]\nid = "a"', 1, 'environment'],
    ['[run]\nenvironment = { imge = {} }', 2, 'image'],
    ['[run]\nenvironment.imge = {}', 2, 'image'],
    ['[environments."a"]\nprovider = "local"\nenvs = {}', 3, 'env'],
    ['[[run.hooks]]\nevent = "run_start"\nscript = "a"\n[[run.hooks]]\nevnt = "run_start"', 5, 'event'],
    ['[run]\ngoal = """\n[workflow]\ngrph = 1\n"""\n[workflow]\ngrph = "a.dot"', 7, 'graph'],
    ['[run.agent.mcps.a]\ntyp = "http"', 2, 'type'],
  ])('%j is answered with the line of the key and the key that was meant', (source, line, meant) => {
    const [fault = ''] = faultsIn(source).filter((text) => text.includes('unknown'));
    expect(fault).toMatch(new RegExp(`^workflow\\.toml:${line}: `));
    if (meant === undefined) expect(fault).not.toContain('Did you mean');
    else expect(fault).toContain(`Did you mean "${meant}"?`);
  });

  it('is read in time linear in its length, whatever is wrong with it, and says the first hundred faults', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `[run.hoks${at}]`).join('\n');
    expect(faultsIn(many)).toHaveLength(100);
  });

  it.each(['[server]\nanything = true', '[cli.output]\nformat = "json"', '[llm.providers.x]\nadapter = "openai"', ''])(
    '%j is accepted: what is about servers and clients is passed over',
    (source) => {
      expect(faultsIn(source)).toEqual([]);
    },
  );

  it('reads durations and sizes', () => {
    const { run, environments } = layerOf(
      '[run.prepare]\ntimeout = "90s"\n[environments.a.resources]\nmemory = "4GiB"\ndisk = 20\n[environments.a.lifecycle]\nauto_stop = "120s"',
    );
    expect(run?.prepare?.timeout).toBe(90_000);
    expect(environments?.['a']?.resources).toEqual({ memory: '4294967296B', disk: '20GB' });
    expect(resolveEnvironment(environments!['a']!).lifecycle.auto_stop).toBe('2m');
  });
});

describe('layers', () => {
  it('merge key by key, the higher over the lower', () => {
    const { run } = merged('[run.model]\nname="a"\nprovider="p"', '[run.model]\nname="b"');
    expect(run?.model).toEqual({ name: 'b', provider: 'p' });
  });

  it('replace inputs, metadata and prepare whole', () => {
    const { run, workflow } = merged(
      '[run.inputs]\na=0\nb=2\n[run.metadata]\nx="1"\ny="2"\n[run.prepare]\ntimeout="9s"\n[workflow.metadata]\nk="v"',
      '[run.inputs]\na=1\n[run.metadata]\nx="3"\n[run.prepare]\nsteps=[{script="s"}]\n[workflow.metadata]',
    );
    expect(run?.inputs).toEqual({ a: 1 });
    expect(run?.metadata).toEqual({ x: '3' });
    expect(run?.prepare).toEqual({ steps: [{ script: 's' }] });
    expect(workflow?.metadata).toEqual({ k: 'v' });
  });

  it('keep a number that would be written in another way as it is written', () => {
    const source = '[run.inputs]\na = 1.0 # a version\nb = 1.10\nc = 3\n"d e" = 1_000\nf = 0x10\ng = "1.0"\nh = 2.5';
    const inputs = { a: '1.0', b: '1.10', c: 3, 'd e': '1_000', f: '0x10', g: '1.0', h: 2.5 };
    expect(parseLayer(source, 'workflow.toml')).toMatchObject({ layer: { run: { inputs } } });
  });

  it('replace a hook by its id, in its place', () => {
    const { run } = merged(
      '[[run.hooks]]\nid="a"\nevent="run_start"\nscript="1"\n[[run.hooks]]\nid="b"\nevent="run_start"\nscript="2"',
      '[[run.hooks]]\nid="c"\nevent="run_start"\nscript="3"\n[[run.hooks]]\nid="a"\nevent="run_failed"\nscript="4"',
    );
    expect(run?.hooks?.map(({ id, script }) => `${id}${script}`)).toEqual(['a4', 'b2', 'c3']);
  });

  it('put the lower list where "..." stands', () => {
    const { run } = merged('[run.model]\nfallbacks=["a","b"]', '[run.model]\nfallbacks=["...","x"]');
    expect(run?.model?.fallbacks).toEqual(['a', 'b', 'x']);
  });

  it('merge environments by id, then field by field; an empty allow list replaces nothing', () => {
    const { environments, run } = merged(
      '[environments.a]\nprovider="docker"\n[environments.a.env]\nX="1"\n[run.environment.network]\nallow=["10.0.0.0/8"]',
      '[environments.a.env]\nY="2"\n[run.environment.network]\nallow=[]',
    );
    expect(environments?.['a']).toEqual({ provider: 'docker', env: { X: '1', Y: '2' } });
    expect(run?.environment?.network?.allow).toEqual(['10.0.0.0/8']);
  });
});

describe('resolved settings', () => {
  it('have the built-in defaults', () => {
    expect(resolveLayer({}).run).toMatchObject({
      inputs: {},
      prepare: { steps: [], timeout_ms: 300_000 },
      execution: { mode: 'normal', approval: 'prompt' },
      clone: { enabled: true, depth: 100 },
      run_branch: { enabled: true, push: true },
      meta_branch: { enabled: true, push: true },
      pull_request: null,
    });
  });

  it('turn the metadata branch off with the run branch, and refuse a pull request without one', () => {
    const resolved = resolveLayer(layerOf('[run.run_branch]\nenabled=false\n[run.pull_request]\nenabled=true'));
    expect(resolved.run.meta_branch.enabled).toBe(false);
    expect(contradictionsIn(resolved)).toEqual([expect.stringContaining('run.pull_request.enabled needs')]);
    expect(contradictionsIn(resolveLayer(layerOf('[run.pull_request]\nenabled=true')))).toEqual([]);
  });

  it('give commands, hooks and servers the shape of the snapshot', () => {
    const { run } = resolveLayer(
      layerOf(
        '[[run.prepare.steps]]\ncommand=["npm","ci"]\n[[run.hooks]]\nid="h"\nevent="run_start"\nurl="https://x"\ntimeout="2s"\n[run.agent.mcps.m]\ntype="stdio"\nscript="serve"\n[run.agent.mcps.off]\ntype="http"\nurl="https://y"\nenabled=false',
      ),
    );
    expect(run.prepare.steps).toEqual([{ type: 'command', command: ['npm', 'ci'] }]);
    expect(run.hooks).toMatchObject([{ name: 'h', event: 'run_start', url: 'https://x', timeout_ms: 2_000 }]);
    expect(run.agent.mcps).toEqual({
      m: {
        name: 'm',
        transport: { type: 'stdio', command: ['sh', '-c', 'serve'], env: {} },
        startup_timeout_secs: 10,
        tool_timeout_secs: 60,
      },
    });
  });

  it('write the words of a command so that a shell reads them again', () => {
    const { run } = resolveLayer(layerOf('[[run.hooks]]\nevent="run_start"\ncommand=["echo","it is","$HOME","a\'b"]'));
    expect(run.hooks[0]?.command).toBe("echo 'it is' '$HOME' 'a'\\''b'");
  });

  it('name every hook, and let a later one take the place of an earlier one with its name', () => {
    const { run } = resolveLayer(
      layerOf(
        '[[run.hooks]]\nname="a"\nevent="run_start"\nscript="1"\n[[run.hooks]]\nevent="run_start"\nscript="a long enough script"\n[[run.hooks]]\nname="a"\nevent="run_failed"\nurl="http://x"\ntls="off"',
      ),
    );
    expect(run.hooks).toMatchObject([
      { name: 'a', event: 'run_failed', url: 'http://x', tls: 'off' },
      { name: 'run_start a long enough script', event: 'run_start' },
    ]);
  });

  it.each([
    ['local', 'block', 1],
    ['docker', 'block', 0],
    ['docker', 'cidr_allow_list', 1],
    ['cloud', 'cidr_allow_list', 0],
    ['local', 'allow_all', 0],
  ] as const)('%s with the network mode %s is refused %i times', (provider, mode, times) => {
    expect(limitsOf('a', resolveEnvironment({ provider, network: { mode } }))).toHaveLength(times);
  });

  it('take an allow list for a mode when none is named', () => {
    expect(resolveEnvironment({ network: { allow: ['10.0.0.0/8'] } }).network.mode).toBe('cidr_allow_list');
  });
});

describe('an input', () => {
  it.each([
    ['a=42', { key: 'a', value: 42 }],
    ['a=true', { key: 'a', value: true }],
    ['a="x"', { key: 'a', value: 'x' }],
    ['a=two words', { key: 'a', value: 'two words' }],
    ['a=', { key: 'a', value: '' }],
    ['a=b=c', { key: 'a', value: 'b=c' }],
    ['=x', { problem: expect.stringContaining('key cannot be empty') }],
    ['a', { problem: expect.stringContaining('missing `=`') }],
    ['a=[1]', { problem: expect.stringContaining('does not support') }],
    ['a=2026-11-21', { key: 'a', value: '2026-11-21' }],
    ['a=12:30', { key: 'a', value: '12:30' }],
    ['a=1.10', { key: 'a', value: '1.10' }],
    ['a=1e3', { key: 'a', value: '1e3' }],
    ['a=0x10', { key: 'a', value: '0x10' }],
    ['a=-1.5', { key: 'a', value: -1.5 }],
    ['a={b=1}', { problem: expect.stringContaining('does not support') }],
  ])('%s', (entry, parsed) => {
    expect(parseInput(entry)).toEqual(parsed);
  });
});
