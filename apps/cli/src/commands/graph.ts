import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { unwrap } from '#libs/api-client';
import { type Direction, type Graph, printGraph } from '#libs/language';
import type { Cli } from '../cli.js';
import { mermaidOf } from '../drawing/mermaid.js';
import { type AuthoredWorkflow, readWorkflow } from '../manifest/authored-workflow.js';
import { buildManifest } from '../manifest/build-manifest.js';
import { gitIn } from '../manifest/git-context.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import type { Session } from '../session.js';
import { WORKFLOW_ARGUMENT } from './run-options.js';
import { runnable } from './submission.js';

interface GraphOptions {
  direction?: 'lr' | 'tb';
  output?: string;
  format?: Format;
}

type Format = keyof typeof EXTENSIONS;

/** What a file is called that holds such a drawing. */
const EXTENSIONS = { svg: ['.svg'], dot: ['.dot', '.gv'], mermaid: ['.mmd', '.mermaid'] } as const;

const DIRECTIONS = { lr: 'LR', tb: 'TB' } as const;

export function addGraph(program: Command, cli: Cli): void {
  program
    .command('graph')
    .description('draw a workflow with all its imports; a server is asked for svg only')
    .argument('<workflow>', WORKFLOW_ARGUMENT)
    .addOption(
      new Option('--format <format>', 'what to write; else the extension of the file says it, else svg').choices(
        Object.keys(EXTENSIONS),
      ),
    )
    .addOption(
      new Option('-d, --direction <way>', "where it flows, if not the workflow's own way").choices(['lr', 'tb']),
    )
    .option('-o, --output <file>', 'where to write it, instead of printing it')
    .addHelpText('after', '\nExample:\n  runyard graph deploy.dot -d lr -o deploy.svg')
    .action(
      cli.action<GraphOptions>(async (session, options, [typed = '']) => {
        const { screen, json, home, surroundings } = session;
        const { cwd } = surroundings;
        const { output } = options;
        const format = options.format ?? formatOf(output);
        const workflow = await readWorkflow(typed, {}, { cwd, home, readFor: 'drawing' });
        const drawing = await draw(session, workflow, runnable(session, workflow), { ...options, format });
        if (output !== undefined) await store(path.resolve(cwd, output), drawing);
        if (json) screen.json({ workflow: typed, format, ...(output === undefined ? { drawing } : { file: output }) });
        else if (output === undefined) screen.result(drawing.trimEnd());
        return exitCodes.done;
      }),
    );
}

async function store(file: string, drawing: string): Promise<void> {
  try {
    await writeFile(file, drawing);
  } catch (thrown) {
    // A file that is not there would be made.
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    throw new CliError(`The folder of ${file} does not exist.`, exitCodes.misuse);
  }
}

/** What a file is to hold, by its extension. Throws for one that nothing is written as. */
function formatOf(file: string | undefined): Format {
  if (file === undefined) return 'svg';
  const extension = path.extname(file).toLowerCase();
  for (const [format, extensions] of Object.entries(EXTENSIONS)) {
    if ((extensions as readonly string[]).includes(extension)) return format as Format;
  }
  throw new CliError(
    `No drawing is written as ${extension === '' ? `${file}, which has no extension` : extension}.`,
    exitCodes.misuse,
    `Give a name that ends in ${Object.values(EXTENSIONS).flat().join(', ')}, or say --format.`,
  );
}

async function draw(
  session: Session,
  workflow: AuthoredWorkflow,
  graph: Graph,
  options: GraphOptions & { format: Format },
): Promise<string> {
  const direction = options.direction && DIRECTIONS[options.direction];
  switch (options.format) {
    case 'svg':
      return drawnByServer(session, workflow, options.direction);
    case 'dot':
      return printGraph(direction ? flowing(graph, direction) : graph);
    case 'mermaid':
      return mermaidOf(direction ? flowing(graph, direction) : graph);
  }
}

async function drawnByServer(
  session: Session,
  workflow: AuthoredWorkflow,
  direction: GraphOptions['direction'],
): Promise<string> {
  const { cwd } = session.surroundings;
  const manifest = await buildManifest(workflow, { args: {} }, cwd, gitIn(cwd));
  const body = { manifest, format: 'svg' as const, ...(direction && { direction }) };
  const { api } = await session.client();
  return unwrap(api.POST('/api/v1/graph/render', { body, parseAs: 'text' }));
}

function flowing({ attributes, rawAttributes, ...graph }: Graph, rankdir: Direction): Graph {
  return { ...graph, attributes: { ...attributes, rankdir }, rawAttributes: { ...rawAttributes, rankdir } };
}
