import { describe, expect, it } from '@jest/globals';
import { compile } from '#libs/language';
import { mermaidOf } from './mermaid.js';

const drawn = (body: string): string[] => {
  const ends = 'start [shape=Mdiamond] exit [shape=Msquare]';
  return mermaidOf(compile(`digraph W { ${ends} ${body} }`).graph!)
    .trimEnd()
    .split('\n');
};

describe('a Mermaid flowchart', () => {
  // start -> ask -> graphs -> exit, and back to ask
  it('has a node for each node and an arrow for each edge, in their order', () => {
    expect(
      drawn(`rankdir=LR
        ask [shape=diamond, label="Well?"]
        graphs [script="true"]
        start -> ask
        ask -> graphs [label="[Y] Yes"]
        ask -> exit
        graphs -> ask [condition="outcome=failed", loop_restart=true]
        graphs -> exit`),
    ).toEqual([
      'flowchart LR',
      '  n0(["start"])',
      '  n1(["exit"])',
      '  n2{"Well?"}',
      '  n3[/"graphs"/]',
      '  n0 --> n2',
      '  n2 -->|"#91;Y#93; Yes"| n3',
      '  n2 --> n1',
      '  n3 -.->|"outcome=failed"| n2',
      '  n3 --> n1',
    ]);
  });

  it('takes nothing that a label says for its own', () => {
    const [, , , node] = drawn(
      `a [prompt=p, label="\\"]; %%{init}%% <b> \\n click n0 #35; \`x\` é😀"] start -> a -> exit`,
    );
    expect(node).toMatch(/^ {2}n2\["[^"[\]{}<>%`\\\n]+"\]$/);
    expect(node).toContain('é#128512;');
  });
});
