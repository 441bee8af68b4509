import { createRunyardClient, type RunyardClient } from '#libs/api-client';
import { homeOf, type Home } from '#libs/config';
import { exitCodes } from './server/exit-code.js';
import { CliError } from './server/fault.js';
import { type Target, targetOf } from './server/target.js';
import type { Terminal } from './terminal/input-line.js';
import type { Screen } from './terminal/screen.js';

/** What an invocation may ask of the process it runs in. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: AsyncIterable<Uint8Array | string> & { isTTY?: boolean };
  /** Where a person can be asked; absent when nobody sits there. */
  terminal?: Terminal;
  screen: Screen;
}

/** The flags that every command takes. */
export interface GlobalOptions {
  json?: boolean;
  server?: string;
  tokenStdin?: boolean;
}

/** One command being carried out: its surroundings, and the connections it opened, which end with it. */
export class Session {
  readonly home: Home;
  private readonly clients: RunyardClient[] = [];

  constructor(
    readonly surroundings: Surroundings,
    readonly options: GlobalOptions,
  ) {
    this.home = homeOf(surroundings.env);
  }

  get screen(): Screen {
    return this.surroundings.screen;
  }

  /** Whether the result is for a program to read. */
  get json(): boolean {
    return this.options.json ?? false;
  }

  async target(): Promise<Target> {
    const { server, tokenStdin } = this.options;
    const token = tokenStdin ? await this.tokenFromStdin() : undefined;
    const { env } = this.surroundings;
    return targetOf(this.home, { ...(server !== undefined && { server }), ...(token !== undefined && { token }) }, env);
  }

  /** A client of the server that was named, or of the one of this home. It connects when it is used. */
  async client(): Promise<RunyardClient> {
    return this.clientOf(await this.target());
  }

  clientOf(target: Target): RunyardClient {
    const client = createRunyardClient(target);
    this.clients.push(client);
    return client;
  }

  /** What was piped in, for it must be seen neither on the screen nor in the history. */
  tokenFromStdin(): Promise<string> {
    return this.pipedIn('token', '--token-stdin');
  }

  /** What was piped in for a flag, without the blanks around it. */
  async pipedIn(what: string, flag: string): Promise<string> {
    const { stdin } = this.surroundings;
    const chunks: string[] = [];
    if (!stdin.isTTY) for await (const chunk of stdin) chunks.push(chunk.toString());
    const text = chunks.join('').trim();
    if (text !== '') return text;
    throw new CliError(`There is no ${what} on standard input.`, exitCodes.misuse, `Pipe it in: … ${flag} < file`);
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
  }
}
