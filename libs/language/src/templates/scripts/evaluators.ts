/** Programs that take a script by its name, and hand what follows to it unchanged. */
export const INTERPRETERS = names(
  'sh bash dash ash ksh mksh lksh pdksh yash zsh fish csh tcsh rbash rksh hush osh ysh xonsh',
  'python pypy node nodejs tsx ts-node perl raku ruby jruby php lua luajit tclsh',
);

/** Programs, and builtins of shells, whose operands or documents are code. */
export const EVALUATORS = names(
  'eval trap alias coproc compgen ssh slogin rsh remsh sshpass autossh mosh pdsh clush su runuser sg newgrp script',
  'busybox toybox xargs parallel watch entr crontab tmux flock chpst start-stop-daemon nodemon concurrently run-parts',
  'awk gawk mawk nawk sed gsed ssed ed red ex vi vim nvim emacs m4 gdb lldb make gmake bmake ninja rake cmake ctest',
  'sqlite psql mysql mariadb mongo mongosh duckdb sqlplus isql cqlsh redis-cli irb gnuplot tar gtar bsdtar rsync zip',
  'ipython deno bun wish Rscript julia groovy guile elixir escript pwsh powershell elvish timeit pdb',
  'dc groff troff tex latex pdflatex xelatex lualatex jshell scala kotlin clojure racket sbcl ocaml ghci runghc erl swipl',
  'cpio sftp lftp ftp telnet nc ncat netcat socat ansible osascript',
);

/** Programs that write what they read, give it another name, or make a program of it. */
export const WRITES = names('tee dd sponge split csplit install cp mv ln truncate chmod');

/** Those that are words of English too. They count where a command begins. */
export const EVALUATING_COMMANDS = names('. source let complete bind fc at batch just view screen expect invoke');

const WHERE = '--(?:global|local|system|worktree|add|replace-all)\\n';
/** A setting of git that is none of those that only say something. No other option may stand before its name. */
const GIT_SETTING = new RegExp(
  `\\n(?:-c|config(?:\\n(?=${WHERE})[-a-z]+)*)\\n(?!${WHERE}|(?:user|init|advice|color|commit|tag|push|pull)\\.)`,
);

/** Programs that read code only with some of their words. A pattern reads the words one a line. */
export const EVALUATING_WITH: ReadonlyMap<string, RegExp[]> = patterns(
  ['find gfind fd fdfind', /\n-(?:exec|execdir|ok|okdir|x|X|-exec.*)\n/],
  ['env', /\n-(?:\w*S|-split-string)/],
  ['sudo doas', /\n-(?:[A-Za-z]*[is]|-login|-shell)\n/],
  ['docker podman nerdctl kubectl oc docker-compose lxc', /\n(?:exec|debug)\n/],
  ['npm npx pnpm pnpx yarn bunx', /\n(?:exec|x|dlx|explore|-\w*c|--call.*)\n/],
  ['git', GIT_SETTING],
  ['git', /\n(?:-x|--(?:exec|upload-pack|receive-pack|config-env).*|bisect|foreach|filter-.*)\n/],
  ['mapfile readarray', /\n-\w*C/],
  ['declare typeset local export readonly', /\n[-+]\w*[in]/],
  ['hash enable jobs', /\n-\w*[pfx]/],
  ['go', /\n--?(?:exec|toolexec)/],
);

/** Commands that print a version, and read nothing. `python -v` is none of them. */
export const PRINTS_VERSION = /^(?:(?:python|pypy)[\d.]{0,9} (?:--version|-V)|(?:node|nodejs) (?:--version|-v))$/;

/** Variables whose values shells and well-known programs execute or calculate. */
const EXECUTED = new RegExp(
  `^(?:${[
    'PS\\d|PROMPT|PROMPT_COMMAND|ENV|BASH_ENV|SHELL|SHELLOPTS|BASHOPTS|S?RANDOM|OPTIND|HISTCMD|VISUAL|VIMINIT|EXINIT',
    '(?:.*_)?(?:EDITOR|PAGER|BROWSER|COMMAND|CMD|ASKPASS|RSH|SSH)|MANPAGER|LESS(?:OPEN|CLOSE|KEY.*)?|GIT_(?!AUTHOR_|COMMITTER_).*',
    'npm_config_.*|NPM_CONFIG_.*|NODE_OPTIONS|PYTHON.*|PERL.*|RUBY.*|PHP_INI.*|LUA_.*|_?JAVA_(?:TOOL_)?OPTIONS|JDK_JAVA_OPTIONS',
    '(?:MAVEN|GRADLE|JAVA|SBT)_OPTS|(?:GNU)?MAKEFLAGS|MAKEFILES|TAR_OPTIONS|LD_(?:PRELOAD|AUDIT)|DYLD_INSERT_.*|RUSTC.*|CC|CXX',
  ].join('|')})$`,
);

/** Variables that say where programs are looked up, or how the shell splits words. */
const LOOKED_UP = /^(?:PATH|CDPATH|IFS|HOME|LD_.*|DYLD_.*|NODE_PATH|CLASSPATH|GEM_.*|BUNDLE_.*|XDG_.*|ZDOTDIR)$/;

/** Whether what a variable holds is as good as executed. */
export function isExecuted(variable: string): boolean {
  return EXECUTED.test(variable);
}

/** Whether it is, or decides what the names of other commands mean. */
export function isObeyed(variable: string): boolean {
  return EXECUTED.test(variable) || LOOKED_UP.test(variable);
}

function names(...lines: readonly string[]): Set<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

function patterns(...lines: readonly (readonly [programs: string, pattern: RegExp])[]): Map<string, RegExp[]> {
  const found = new Map<string, RegExp[]>();
  for (const [programs, pattern] of lines) {
    for (const program of names(programs)) found.set(program, [...(found.get(program) ?? []), pattern]);
  }
  return found;
}
