// Generates the Prisma client from the schema, when it is not there or older than the schema. Nothing is downloaded: the
// stock command line wants a schema engine even to generate, and is content with the name of any file.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

const modified = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (modified('libs/persistence/src/generated/client.ts') < modified('prisma/schema.prisma')) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/prisma/build/index.js', 'generate', '--no-hints'],
    {
      encoding: 'utf8',
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: 'package.json' },
    },
  );
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`);
    process.exit(status ?? 1);
  }
}
