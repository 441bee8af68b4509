import { findProgram } from '../runner/find-program.js';
import type { RunnerCommandLine } from './runner-command-line.js';

/** The number of `prctl` among the system calls of Linux. */
const PRCTL: Partial<Record<NodeJS.Architecture, number>> = {
  x64: 157,
  arm64: 167,
  riscv64: 167,
  ppc64: 171,
  s390x: 172,
};

/**
 * Starts the runner as its child and becomes the parent of all that lose theirs below it (PR_SET_CHILD_SUBREAPER), which
 * Node cannot: it would have to collect them when they are dead. It ends with the runner, and what is left then ends with it.
 */
const PROGRAM = `
my $prctl = shift;
syscall($prctl, 36, 1, 0, 0, 0) == 0 or die "prctl: $!\\n";
defined(my $runner = fork) or die "fork: $!\\n";
unless ($runner) { exec { $ARGV[0] } @ARGV; die "exec: $!\\n" }
$SIG{$_} = 'IGNORE' for qw(TERM INT HUP);
$0 = 'runyard-reaper';
open STDOUT, '>', '/dev/null';
my $ended;
1 while ($ended = wait) > 0 && $ended != $runner;
for (1 .. 500) {
  open my $list, '<', "/proc/$$/task/$$/children" or last;
  my @left = split ' ', <$list> // '' or last;
  kill 'KILL', @left;
  select undef, undef, undef, 0.01;
  1 while waitpid(-1, 1) > 0;
}
`;

/** The runner below a reaper; undefined where there can be none: outside Linux, or without perl. */
export function belowReaper({ command, args, searchPath }: RunnerCommandLine): RunnerCommandLine | undefined {
  const prctl = PRCTL[process.arch];
  const perl = findProgram('perl', searchPath);
  if (process.platform !== 'linux' || prctl === undefined || perl === undefined) return undefined;
  return { command: perl, args: ['-e', PROGRAM, `${prctl}`, command, ...args], searchPath };
}
