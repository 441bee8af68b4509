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
      'x=@ y="@" @ $x@ "$x@" "${x}@" "$1@"',
      ['bare', 'double', 'bare', 'bare', 'double after a name', 'double', 'double'],
    ],
    ['"$x\\\n@"', ['double after a name']],
    ['# @\necho a#@ # "@\necho @', ['comment', 'bare', 'comment', 'bare']],
    ['case @ in @) echo @;; esac', ['bare', 'bare', 'bare']],
    ['f() { echo @; }; (cd @ && ls) | sort; a=(@ b)', ['bare', 'bare', 'bare']],
    ['if [ @ = "@" ]; then :; fi; [[ @ == "@" ]] && ls', ['bare', 'double', 'bare', 'double']],
    ['diff <(sort @) >(cat) @; cat <<< @', ['bare', 'bare', 'bare']],
    ['for ((i = 0; i < 3; i++)); do echo @; done; echo $((1 + (2))) @', ['bare', 'bare']],
    ['echo "[@]" "${x:-a}" ${x//\\//_} "${x%"', ['double']],
    ['echo "${x:-$(ls)}" @', ['bare']],
    ['cmd 2>&1 >@ &>@ | tee @', ['bare', 'bare', 'bare']],
  ])('are known in %j', (script, places) => {
    expect(placesIn(script)).toEqual(places);
  });

  it.each<[string, string[]]>([
    ['cat <<EOF\n@ "@" \'@\' $x@\nEOF\necho @', ['document', 'document', 'document', 'document after a name', 'bare']],
    ['cat <<-EOF | sort > @\n\t@\n\tEOF\necho @', ['bare', 'document', 'bare']],
    ['cat <<A <<B\n@\nA\n@\nB\n@', ['document', 'document', 'bare']],
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
    ['echo $((1 + @)) @', ['in arithmetic', 'bare']],
    ['((@)); (((@', ['in arithmetic', 'in (( )), or behind it']],
    ['echo $@ "$@" "\\$@"', ['right behind a $', 'right behind a $', 'double']],
    ['echo \\@ "\\@" "\\\\@"', ['right behind a backslash', 'right behind a backslash', 'double']],
    ['echo ${x:-@} "${x:-@}"', ['in ${ }', 'in ${ }']],
    ['echo $\'@\' $"@" @', ["in $'…'", 'in $"…"', 'bare']],
    ["echo $'a\\'' @", ["behind $'…' with backslashes"]],
    ['echo $[ @ ] @', ['in $[ ], or behind it', 'in $[ ], or behind it']],
    ['a[@]=1; b["@"]=2', ['in a subscript', 'in a subscript']],
    ['x=$(case a in a) echo @;; esac) @', ['behind a case inside $( )', 'behind a case inside $( )']],
    ['$\\\n(ls) @', ['behind a $ that the next line continues']],
    [`${'$('.repeat(60)} @`, ['behind what is nested too deeply']],
  ])('are not known where a value could become code: %j', (script, places) => {
    expect(placesIn(script)).toEqual(places);
  });

  it.each<[string, string[]]>([
    ['sh -c "echo @"', ['in the code that sh reads']],
    ['sudo -u x /bin/bash -lc "$(echo @) @" @', ['in the code that bash reads', 'in the code that bash reads', 'bare']],
    ['sh -c @; sh -c \'echo "$1"\' _ @', ['bare', 'bare']],
    [
      '"$SHELL" -c "a @"; @ -c "a @"',
      ['in the code that another program reads', 'bare', 'in the code that another program reads'],
    ],
    [
      'python3 -c "print(\'@\')"; node -e "@;"; perl -e\'@\'',
      ['in the code that python3 reads', 'in the code that node reads', 'in the code that perl reads'],
    ],
    [
      'sed "s/a/@/" @; sed -e \'s/@//\' -e @ @',
      ['in the code that sed reads', 'bare', 'in the code that sed reads', 'bare', 'bare'],
    ],
    ["awk -v x=@ '{ print @ }' @", ['bare', 'in the code that awk reads', 'bare']],
    ['sed 2> log "s/@//"', ['in the code that sed reads']],
    [
      'eval @; trap "rm @" EXIT; alias x="@"',
      ['in the code that eval reads', 'in the code that trap keeps', 'in the code that alias reads'],
    ],
    ['ssh -p @ me@ "ls @"', ['bare', 'bare', 'in the command that ssh hands to another shell']],
    ['bash <<EOF\n@\nEOF', ['in what bash reads as its script']],
    ['cat <<EOF |\n@\nEOF\nsh', ['in what sh reads as its script']],
    [
      'echo @ | sh; echo @ | bash x.sh; echo @ | ssh h cat; echo @ | ssh h',
      ['in what sh reads as its script', 'in what bash reads as its script', 'bare', 'in what ssh reads as its script'],
    ],
    [
      'bash <<< "echo @"; bash -eu x <<A\n@\nA\nbash <(echo @); . <(echo "a=@"); bash -cx "a @"; bash -c -- "a @"; ssh ssh ssh <<A\n@\nA\n',
      [
        ...['in what bash reads as its script', 'in what bash reads as its script', 'in what bash reads as its script'],
        ...['in what . reads as its script', 'in the code that bash reads', 'in the code that bash reads'],
        'in what ssh reads as its script',
      ],
    ],
    [
      'let x=@; [[ 1 -eq @ ]]; [[ a && @ -lt 2 ]]; [ @ -eq 1 ]',
      ['in arithmetic', 'in a comparison of numbers by [[ ]]', 'in a comparison of numbers by [[ ]]', 'bare'],
    ],
    [
      'read @; unset "a@"; printf -v @ x; test -v @',
      ['where read takes a name', 'where unset takes a name', 'where printf takes a name', 'where test takes a name'],
    ],
    [
      'export A=@ "B=@" @; declare -i n=@',
      ['bare', 'double', 'where export reads more than a text', 'where declare reads more than a text'],
    ],
  ])('are not known where a program reads code: %j', (script, places) => {
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
