import type { Command } from 'commander';
import { exitCodes, type ExitCode } from './server/exit-code.js';
import { faultOf } from './server/fault.js';
import { plainText } from './terminal/format.js';
import { type GlobalOptions, Session, type Surroundings } from './session.js';

/** Carries out a command that commander has read, and says how the process ends. */
export type Handler<Options> = (session: Session, options: Options, args: string[]) => Promise<ExitCode>;

/** What a command needs in order to be carried out when commander calls it. */
export class Cli {
  private exitCode: ExitCode = exitCodes.done;

  constructor(private readonly surroundings: Surroundings) {}

  /** The action of a command. Its session ends with it, whatever happens. */
  action<Options extends object = object>(handler: Handler<Options>): (...params: unknown[]) => Promise<void> {
    return async (...params) => {
      const command = params.at(-1) as Command;
      const options: Options & GlobalOptions = command.optsWithGlobals();
      const session = new Session(this.surroundings, options);
      try {
        this.exitCode = await handler(session, options, command.processedArgs.flat() as string[]);
      } finally {
        await session.close();
      }
    };
  }

  /** Reads the arguments and does what they say. Never throws: whatever goes wrong is printed and becomes the code. */
  async run(program: Command, args: readonly string[]): Promise<ExitCode> {
    try {
      await program.parseAsync(args, { from: 'user' });
      return this.exitCode;
    } catch (thrown) {
      const { exitCode, message, hint } = faultOf(thrown);
      const { screen, env } = this.surroundings;
      if (message !== '') screen.hint(`${screen.paint.red('✗')} ${plainText(message)}`);
      if (hint !== undefined) screen.hint(`  ${plainText(hint)}`);
      if (env.RUNYARD_DEBUG && message !== '') screen.hint((thrown as Error).stack ?? '');
      return exitCode;
    }
  }
}
