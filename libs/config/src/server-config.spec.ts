import { describe, expect, it } from '@jest/globals';
import { addressOf, parseBinding } from './binding.js';
import { homeOf } from './home.js';
import { serverConfig, type ServerFlags } from './server-config.js';
import { FIRST_SETTINGS, parseSettings } from './settings.js';

const home = homeOf({ RUNYARD_HOME: '/home/me/.runyard' });
const config = (settings: string, env: NodeJS.ProcessEnv = {}, flags: ServerFlags = {}) =>
  serverConfig(home, parseSettings(settings, 'settings.toml'), env, flags);

describe('the configuration of a server', () => {
  it('is the embedded default on a first start', () => {
    expect(config(FIRST_SETTINGS)).toMatchObject({
      binding: { kind: 'unix', path: '/home/me/.runyard/runyard.sock' },
      webPort: 3000,
      databaseUrl: null,
      redisUrl: null,
      objects: { kind: 'disk', root: '/home/me/.runyard/storage/objects' },
      maxConcurrentRuns: 5,
      defaultEnvironment: 'default',
    });
  });

  it('prefers flag over variable over file over default', () => {
    const file = '[server.scheduler]\nmax_concurrent_runs = 7';
    const env = { RUNYARD_SERVER_MAX_CONCURRENT_RUNS: '8' };
    expect(config('').maxConcurrentRuns).toBeNull();
    expect(config(file).maxConcurrentRuns).toBe(7);
    expect(config(file, env).maxConcurrentRuns).toBe(8);
    expect(config(file, env, { maxConcurrentRuns: 9 }).maxConcurrentRuns).toBe(9);
  });

  it("lets hooks post anywhere where the server is one person's, unless it is told otherwise", () => {
    const shared = { DATABASE_URL: 'postgresql://a@b/c' };
    const file = '[server.hooks]\nreach = "anywhere"';
    expect(config('').hooksReach).toBe('anywhere');
    expect(config('', shared).hooksReach).toBe('public');
    expect(config(file, shared).hooksReach).toBe('anywhere');
    expect(config(file, { RUNYARD_HOOKS_REACH: 'public' }).hooksReach).toBe('public');
    expect(() => config('', { RUNYARD_HOOKS_REACH: 'here' })).toThrow(/RUNYARD_HOOKS_REACH is "here"; give one of/);
  });

  it('bounds what anybody may hold of it over HTTP', () => {
    expect(config('').http).toEqual({ maxConnections: 10_000, streamsPerToken: 20, wrongTokensPerMinute: 20 });
    const file = '[server.http]\nmax_connections = 500\nstreams_per_token = 5';
    const env = { RUNYARD_STREAMS_PER_TOKEN: '200', RUNYARD_WRONG_TOKENS_PER_MINUTE: '3' };
    expect(config(file, env).http).toEqual({ maxConnections: 500, streamsPerToken: 200, wrongTokensPerMinute: 3 });
    expect(() => config('', { RUNYARD_MAX_CONNECTIONS: '0' })).toThrow(/RUNYARD_MAX_CONNECTIONS is "0"; give a whole/);
    expect(() => config('[server.http]\nstreams_per_token = 0')).toThrow(/server\.http\.streams_per_token/);
  });

  it('bounds the children of a run', () => {
    expect(config('').maxChildrenPerRun).toBe(1_000);
    const file = '[server.scheduler]\nmax_children_per_run = 0';
    expect(config(file).maxChildrenPerRun).toBe(0);
    expect(config(file, { RUNYARD_MAX_CHILDREN_PER_RUN: '7' }).maxChildrenPerRun).toBe(7);
  });

  it('bounds what the runs of a worker may have at work and in memory', () => {
    const defaults = { stages: 256, stagesPerRun: 64, valueMemoryBytes: 256 * 1024 * 1024 };
    expect(config('').workerLimits).toEqual(defaults);
    const file = '[server.worker]\nstages = 500\nvalue_memory_mib = 32';
    const env = { RUNYARD_WORKER_STAGES: '20', RUNYARD_WORKER_STAGES_PER_RUN: '3' };
    expect(config(file, env).workerLimits).toEqual({
      stages: 20,
      stagesPerRun: 3,
      valueMemoryBytes: 32 * 1024 * 1024,
    });
    expect(() => config('', { RUNYARD_WORKER_VALUE_MEMORY_MIB: '1' })).toThrow(
      /^RUNYARD_WORKER_VALUE_MEMORY_MIB is "1"; give a whole number from 16 to/,
    );
    expect(() => config('[server.worker]\nstages_per_run = 0')).toThrow(/server\.worker\.stages_per_run/);
  });

  it('keeps local sandboxes for administrators, unless commands have a user of their own or it is told otherwise', () => {
    const user = '[sandbox.local]\nuser = "runs"';
    expect(config('').localSandbox).toEqual({ user: null, leastRole: 'admin' });
    expect(config(user).localSandbox).toEqual({ user: 'runs', leastRole: 'operator' });
    expect(config('', { RUNYARD_LOCAL_USER: 'runs' }).localSandbox.user).toBe('runs');
    expect(config(user, { RUNYARD_LOCAL_LEAST_ROLE: 'editor' }).localSandbox.leastRole).toBe('editor');
    expect(config('[sandbox.local]\nleast_role = "operator"').localSandbox.leastRole).toBe('operator');
    expect(() => config('', { RUNYARD_LOCAL_LEAST_ROLE: 'viewer' })).toThrow(/^RUNYARD_LOCAL_LEAST_ROLE is "viewer"/);
  });

  it('moves no logs unless it is told after how many days', () => {
    const file = '[server.retention]\nmove_logs_after_days = 30';
    expect(config('').moveLogsAfterDays).toBeNull();
    expect(config(file).moveLogsAfterDays).toBe(30);
    expect(config(file, { RUNYARD_MOVE_LOGS_AFTER_DAYS: '7' }).moveLogsAfterDays).toBe(7);
    expect(config(file, { RUNYARD_MOVE_LOGS_AFTER_DAYS: '0' }).moveLogsAfterDays).toBeNull();
  });

  it.each([
    [{ DATABASE_URL: 'postgresql://runyard:change-me@db/runyard' }, /^DATABASE_URL still has the secret of an example/],
    [
      { REDIS_URL: 'redis://:CHANGE_ME@redis:6379', AWS_SECRET_ACCESS_KEY: 'changeme' },
      /^REDIS_URL and AWS_SECRET_ACC/,
    ],
  ])('refuses the secrets of the examples: %j', (env, message) => {
    expect(() => config('', env)).toThrow(message);
  });

  it("takes secrets of one's own", () => {
    const databaseUrl = 'postgresql://runyard:5f0c7b1e@db/runyard';
    expect(config('', { DATABASE_URL: databaseUrl, AWS_SECRET_ACCESS_KEY: '9a3e' })).toMatchObject({ databaseUrl });
  });

  it.each([
    [undefined, null],
    ['127.0.0.1:9464', { host: '127.0.0.1', port: 9_464 }],
    ['[::]:9464', { host: '::', port: 9_464 }],
  ])('lets operators look in at %s', (text, expected) => {
    expect(config('', { RUNYARD_OPERATIONS_BIND: text }).operationsBinding).toEqual(expected);
  });

  it('sends traces where the variables of OpenTelemetry say, or nowhere', () => {
    const root = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/in' };
    expect(config('').tracesUrl).toBeNull();
    expect(config('', root).tracesUrl).toBe('http://collector:4318/v1/traces');
    expect(config('', { ...root, ...own }).tracesUrl).toBe('https://traces/in');
    expect(config('', { ...root, OTEL_SDK_DISABLED: 'true' }).tracesUrl).toBeNull();
    expect(() => config('', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' })).toThrow(
      /OTEL_EXPORTER_OTLP_ENDPOINT is not/,
    );
  });

  it('opens no second port beside a TCP binding', () => {
    expect(config('', {}, { bind: '127.0.0.1:4000' }).webPort).toBeNull();
  });

  it.each([
    ['an unknown key', '[server]\ncolour = "red"', {}, /server: .*colour/],
    ['no TOML', 'server = [', {}, /is no TOML/],
    ['a number out of range', '[server.scheduler]\nmax_concurrent_runs = 0', {}, /max_concurrent_runs/],
    ['a variable that is no number', '', { RUNYARD_WORKER_SLOTS: 'many' }, /RUNYARD_WORKER_SLOTS is "many"/],
    ["an operators' address without a port", '', { RUNYARD_OPERATIONS_BIND: '0.0.0.0' }, /RUNYARD_OPERATIONS_BIND is/],
    ["an operators' address by name", '', { RUNYARD_OPERATIONS_BIND: 'localhost:9464' }, /RUNYARD_OPERATIONS_BIND is/],
    ['days that are no number', '', { RUNYARD_MOVE_LOGS_AFTER_DAYS: '-1' }, /RUNYARD_MOVE_LOGS_AFTER_DAYS is "-1"/],
    ['a database of another kind', '', { DATABASE_URL: 'mysql://x' }, /DATABASE_URL/],
    ['an unknown log level', '', { RUNYARD_LOG: 'loud' }, /RUNYARD_LOG is "loud"/],
    ['an unknown environment', '', { RUNYARD_ENVIRONMENT: 'moon' }, /"moon" is not defined/],
  ])('refuses %s by name', (_what, settings, env, message) => {
    expect(() => config(settings, env)).toThrow(message);
  });
});

describe('--bind', () => {
  it.each([
    ['/run/runyard.sock', { kind: 'unix', path: '/run/runyard.sock' }, '/run/runyard.sock'],
    ['127.0.0.1', { kind: 'tcp', host: '127.0.0.1', port: 3000 }, 'http://127.0.0.1:3000'],
    ['0.0.0.0:80', { kind: 'tcp', host: '0.0.0.0', port: 80 }, 'http://0.0.0.0:80'],
    ['[::1]:8080', { kind: 'tcp', host: '::1', port: 8080 }, 'http://[::1]:8080'],
  ])('reads %s', (text, binding, address) => {
    expect(parseBinding(text)).toEqual(binding);
    expect(addressOf(parseBinding(text))).toBe(address);
  });

  it.each(['localhost:3000', '127.0.0.1:99999', 'x', `/${'long/'.repeat(40)}socket`])('refuses %s', (text) => {
    expect(() => parseBinding(text)).toThrow(/--bind/);
  });
});
