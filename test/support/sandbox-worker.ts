/**
 * A worker process that starts one command in a local sandbox, for specs that kill it. Its arguments are the options of
 * the provider, the request and the command, as JSON; it feeds the switch until it dies.
 */
import { type SandboxCommand, type SandboxRequest } from '#libs/engine';
import { monotonicMs } from '#libs/kernel';
import { LocalSandboxProvider, type LocalSandboxOptions } from '#libs/sandbox';

const [options, request, command] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown);
const sandbox = await new LocalSandboxProvider(options as LocalSandboxOptions).open(request as SandboxRequest);
setInterval(() => sandbox.keepAlive(monotonicMs()), 500);
await sandbox.run(command as SandboxCommand, { signal: new AbortController().signal });
