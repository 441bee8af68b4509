import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

const linuxOnly = process.platform === 'linux' ? it : it.skip;
const program = `
  const { hideEnvironment } = await import('${new URL('./hidden-environment.ts', import.meta.url).href}');
  const isHidden = hideEnvironment();
  const { readFileSync } = await import('node:fs');
  const { execFileSync } = await import('node:child_process');
  const shown = readFileSync('/proc/self/environ', 'latin1').replaceAll('\\0', '');
  const child = execFileSync('sh', ['-c', 'echo $SECRET']).toString().trim();
  console.log(JSON.stringify({ isHidden, shown, own: process.env.SECRET, child, empty: process.env.EMPTY }));
`;
const loader = new URL('../../../test/support/typescript-loader.js', import.meta.url).pathname;

linuxOnly('hides the environment from others, not from the process itself, and keeps the marks of runs', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions', 'runyard-source', '--import', loader, '--input-type=module', '-e', program],
    { encoding: 'utf8', env: { PATH: process.env.PATH, SECRET: 's3cret-ö', EMPTY: '', RUNYARD_SANDBOX: '/run' } },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    isHidden: true,
    shown: 'RUNYARD_SANDBOX=/run',
    own: 's3cret-ö',
    child: 's3cret-ö',
    empty: '',
  });
});
