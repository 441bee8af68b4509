import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { typedAt, type Typed } from '../support/cli/typed-at.js';
import { blocksOf, steadyLines, type Block } from '../support/guide/page.js';
import { testServer, type TestServer } from '../support/server.js';

const GUIDE = resolve('docs/guide');
const pages = readdirSync(GUIDE).filter((name) => name.endsWith('.md'));

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

/** What a reader's terminal shows, in a folder of the page's own. */
class Reader {
  private printed = '';

  constructor(private readonly folder: string) {}

  /** Does what the block asks for. */
  async follow({ language, marks, text }: Block): Promise<void> {
    const file = marks.get('file');
    if (file !== undefined) {
      await mkdir(dirname(join(this.folder, file)), { recursive: true });
      await writeFile(join(this.folder, file), text);
    } else if (language === 'sh') {
      this.printed = '';
      for (const line of text.trim().split('\n')) await this.type(line);
    } else if (language === 'text') {
      expect(steadyLines(this.printed)).toEqual(expect.arrayContaining(steadyLines(text)));
    }
  }

  /** A comment behind a command says how it ends: `# exit 2`. */
  private async type(line: string): Promise<void> {
    const wanted = Number(/# exit (\d+)/.exec(line)?.[1] ?? 0);
    const words = await this.words(line);
    const [program, ...args] = words;
    const { exitCode, stdout, stderr } =
      program === 'runyard' ? await typedAt(server, this.folder, args) : await this.bash(line);
    this.printed += `${stdout}\n${stderr}\n`;
    expect([line, exitCode, exitCode === wanted ? '' : this.printed]).toEqual([line, wanted, '']);
  }

  /** The words of a line as a shell reads them. */
  private async words(line: string): Promise<string[]> {
    const { stdout } = await promisify(execFile)('bash', ['-c', `printf '%s\\0' ${line}`], { cwd: this.folder });
    return stdout.split('\0').slice(0, -1);
  }

  private async bash(line: string): Promise<Typed> {
    const ended = promisify(execFile)('bash', ['-c', line], { cwd: this.folder });
    const { stdout, stderr } = await ended;
    return { exitCode: 0, stdout, stderr };
  }
}

describe('the guide', () => {
  it.each(pages)('%s: what it shows is so', async (page) => {
    const folder = join(server.caller.directory, page);
    await mkdir(folder);
    const reader = new Reader(folder);
    const blocks = blocksOf(readFileSync(join(GUIDE, page), 'utf8'));
    for (const block of blocks) await reader.follow(block);
    // A block that is neither a file nor typed nor printed is only looked at: none may slip through by mistake.
    const idle = blocks.filter(({ language, marks }) => !marks.has('file') && !['sh', 'text'].includes(language));
    expect(idle.map(({ text }) => text)).toEqual([]);
  });
});
