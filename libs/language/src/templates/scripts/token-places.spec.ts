import { describe, expect, it } from '@jest/globals';
import { pythonPlaces } from './python-places.js';
import { scriptTokens } from './script-tokens.js';
import { shellPlaces } from './shell-places.js';
import { type TokenPlace } from './token-place.js';

/** Each `@` is a token. */
function placesIn(script: string, read = shellPlaces): string[] {
  const text = script.replaceAll('@', '{{ goal }}');
  return read(text, scriptTokens(text)).map(nameOf);
}

function nameOf(place: TokenPlace): string {
  if (place.kind === 'unknown') return place.why;
  return 'afterName' in place && place.afterName ? `${place.kind} after a name` : place.kind;
}

const HEREDOC_END = 'behind a here-document whose end is not known';

describe('the places of tokens in a shell script', () => {
  it.each<[string, string[]]>([
    ['echo @ v@^{commit} --x=@ > @', ['bare', 'bare', 'bare', 'bare']],
    [`echo "@" '@' "a"@'b' "$(cat "@")"`, ['double', 'single', 'bare', 'double']],
    [
      'ls x=@ y="@" @ $x@ "$x@" "${x}@" "$1@"',
      ['bare', 'double', 'bare', 'bare', 'double after a name', 'double', 'double'],
    ],
    ['ls "$x\\\n@"', ['double after a name']],
    ['# @\necho a#@ # "@\necho @', ['comment', 'bare', 'comment', 'bare']],
    ['case @ in @) echo @;; esac', ['bare', 'bare', 'bare']],
    ['f() { echo @; }; (cd @ && ls) | sort; a=(@ b)', ['bare', 'bare', 'bare']],
    ['if [ @ = "@" ]; then :; fi; [[ @ == "@" ]] && ls', ['bare', 'double', 'bare', 'double']],
    ['diff <(sort @) >(cat) @; cat <<< @', ['bare', 'bare', 'bare']],
    ['echo $((1 + (2))) @', ['bare']],
    ['echo "[@]" "${x:-a}" ${x//\\//_} "${x%y}"', ['double']],
    ['echo @ "${x%"', ['in a script that shells may read in more than one way']],
    ['echo "${x:-$(ls)}" @', ['bare']],
    ['cmd 2>&1 >@ &>@ | tee @', ['bare', 'bare', 'bare']],
  ])('are known in %j', (script, places) => {
    expect(placesIn(script)).toEqual(places);
  });

  it.each<[string, string[]]>([
    ['cat <<EOF\n@ "@" \'@\' $x@\nEOF\necho @', ['document', 'document', 'document', 'document after a name', 'bare']],
    ['cat <<-EOF | sort > @\n\t@\n\tEOF\necho @', ['bare', 'document', 'bare']],
    ['cat <<A <<B\n@\nA\n@\nB\nls @', ['document', 'document', 'bare']],
    ["cat <<'EOF'\n@\nEOF\n@", ['in a here-document with a quoted delimiter', 'bare']],
    [
      'cat <<EOF\n$(echo @) `@` ${x:-@} $@\nEOF',
      ['in a command inside a here-document', 'in back-ticks', 'in ${ }', 'right behind a $'],
    ],
    ['cat <<@\n@\n', ['in the delimiter of a here-document', HEREDOC_END]],
    ['cat <<EOF\na\\\nEOF\n@\nEOF\n@', ['document', HEREDOC_END].slice(1).concat(HEREDOC_END)],
    ['cat <<EOF "\n@"', ['behind a here-document inside other quotes']],
  ])('follow here-documents: %j', (script, places) => {
    expect(placesIn(script)).toEqual(places);
  });

  it.each<[string, string[]]>([
    ['echo `echo @` @', ['in back-ticks', 'bare']],
    ['echo $((1 + @)) @', ['in arithmetic', 'in a script that has the shell evaluate what variables hold']],
    ['((@)); (((@', ['in arithmetic', 'in (( )), or behind it']],
    ['echo $@ "$@" "\\$@"', ['right behind a $', 'right behind a $', 'double']],
    ['echo \\@ "\\@" "\\\\@"', ['right behind a backslash', 'right behind a backslash', 'double']],
    ['echo ${x:-@} "${x:-@}"', ['in ${ }', 'in ${ }']],
    ['echo $\'@\' $"@" @', ["in $'…'", 'in $"…"', 'bare']],
    ["echo $'a\\'' @", ["behind $'…' with a quote behind a backslash"]],
    ["echo $'a\\n' @", ['bare']],
    ['echo $[ @ ] @', ['in $[ ], or behind it', 'in $[ ], or behind it']],
    ['a[@]=1; b["@"]=2', ['in a subscript', 'in a subscript']],
    ['x=$(case a in a) echo @;; esac) @', ['behind a case inside $( )', 'behind a case inside $( )']],
    ['$\\\n(ls) @', ['behind a $ that the next line continues']],
    [`${'$('.repeat(60)} @`, ['behind what is nested too deeply']],
  ])('are not known where a value could become code: %j', (script, places) => {
    expect(placesIn(script)).toEqual(places);
  });

  const CALLS = (name: string) => `in a script that calls ${name}, which may read it as code`;

  it.each<[string, string[]]>([
    ['echo "a @"; (echo @) | sh', [CALLS('sh'), CALLS('sh')]],
    ['python3 -m x @ "@" \'@\' --to=@', ['bare', 'double', 'single', 'bare']],
    [
      'FOO=1 bash -eu x.sh @ && ./b/x @ > @ <<A\n@\nA',
      ['bare', 'bare', ...Array.from({ length: 2 }, () => CALLS('bash'))],
    ],
    ['sh x @ "$(echo @ | cat)" # @', ['bare', CALLS('sh'), 'comment']],
    ['sh -c @; node -r x @ y @', [CALLS('sh'), CALLS('sh'), CALLS('sh')]],
    ['x=`. f` @', [CALLS('a program that only the run knows')]],
    ['echo @ `sed 1p`', [CALLS('sed')]],
    ['@ x', ['bare']],
    ['@ @', ['bare', CALLS('a program that only the run knows')]],
    ['echo $((n)) @', ['in a script that has the shell evaluate what variables hold']],
    ['export A=@ "B=@"; PS4=@', Array.from({ length: 3 }, () => 'in a script that uses PS4')],
    ['n=@; a[n]=1', ['in a script that calculates a subscript']],
    [
      '[ ! @ @ ]',
      Array.from({ length: 2 }, () => 'in a script that uses [ with names or numbers that only the run knows'),
    ],
  ])('are known only as arguments of a script where something reads code: %j', (script, places) => {
    expect(placesIn(script)).toEqual(places);
  });

  it('are found in linear time, whatever the script is made of', () => {
    for (const piece of [
      '@',
      '"@',
      '$(@',
      '((',
      '<<A @\n',
      '`',
      '${',
      '\\\n',
      '[@',
      'x@|',
      '@;',
      'sh ',
      'ssh ',
      '<(@) ',
      'sh x @;',
      'config\n-a\n',
      'git config ',
      '[[ ',
      '{,',
      'a=(@ ',
      '${!@',
      '[ $x ',
      'if [[ @ ',
    ]) {
      const began = performance.now();
      placesIn(piece.repeat(20_000));
      expect(performance.now() - began).toBeLessThan(2_000);
    }
  });
});

describe('the places of tokens in a Python script', () => {
  it.each<[string, string[]]>([
    ['print(@, [@], x=@) # @\n@', ['bare', 'bare', 'bare', 'comment', 'bare']],
    [
      `"@" '@' r"\\"@" ""@`,
      [
        'inside a text of Python',
        'inside a text of Python',
        'inside a text of Python',
        'right behind a letter or a quote',
      ],
    ],
    ['"""a\n@" \'@""" + @', ['inside a text of Python', 'inside a text of Python', 'bare']],
    [
      'f@ r@ @"" ""@',
      [
        'right behind a letter or a quote',
        'right behind a letter or a quote',
        'right before a quote',
        'right behind a letter or a quote',
      ],
    ],
    ['f"{x} {{@}}"; @', ['inside a text of Python', 'bare']],
    [`f"{d['a"b']}"; ' @ '`, ['inside a text of Python']],
    ['"open\n@ "\\"" + @', ['bare', 'bare']],
  ])('are known in %j', (script, places) => {
    expect(placesIn(script, pythonPlaces)).toEqual(places);
  });
});
