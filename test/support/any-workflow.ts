import fc from 'fast-check';

/** No path enters a node more often. */
export const MAX_VISITS = 2;

/** A piece of a workflow; pieces follow each other, and each is left where all its ways have met again. */
type Piece =
  | { kind: 'leaf'; shape: Shape; attributes: string }
  | { kind: 'fork'; branches: Stretch[]; maxParallel: number; join: 'tripleoctagon' | 'diamond' }
  | { kind: 'each'; items: number; maxParallel: number; rest: Stretch }
  | { kind: 'manager'; child: Stretch; attributes: string };

/** Pieces in a row, and edges that lead back or past some of them. */
interface Stretch {
  pieces: Piece[];
  shortcuts: { from: number; to: number; how: string }[];
}

export interface Drawing {
  main: Stretch;
  attributes: string;
}

const shapes = {
  command: 'shape=parallelogram, script="true"',
  diamond: 'shape=diamond',
  pause: 'shape=insulator, duration=90s',
  gate: 'shape=hexagon',
} as const;
type Shape = keyof typeof shapes;

const attributes = fc.constantFrom(
  ...['', '', '', '', 'max_retries=1', 'retry_policy=linear', 'max_visits=1', 'goal_gate=true', 'auto_status=true'],
  ...['allow_partial=true', 'selection=random', 'timeout=45s', 'timeout=45s, max_retries=1'],
);

const managing = fc.constantFrom(
  ...['', '', 'manager.stop_condition="outcome=failed"', 'timeout=70s', 'timeout=70s, max_retries=1'],
);

const shortcut = fc.record({
  from: fc.nat(3),
  to: fc.nat(3),
  how: fc.constantFrom(
    ...['', 'weight=2', 'label="[B] Back"', 'loop_restart=true', 'condition="outcome=failed"', 'condition="n > 2"'],
    'condition="outcome=failed", loop_restart=true',
  ),
});

const { stretch } = fc.letrec<{ stretch: Stretch; piece: Piece }>((tie) => ({
  stretch: fc.record({
    pieces: fc.array(tie('piece'), { minLength: 1, maxLength: 2 }),
    shortcuts: fc.array(shortcut, { maxLength: 1 }),
  }),
  piece: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('leaf' as const),
        shape: fc.constantFrom<Shape>('command', 'command', 'diamond', 'pause', 'gate'),
        attributes,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('fork' as const),
        branches: fc.array(tie('stretch'), { minLength: 1, maxLength: 3 }),
        maxParallel: fc.integer({ min: 1, max: 3 }),
        join: fc.constantFrom('tripleoctagon' as const, 'diamond' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('each' as const),
        items: fc.nat(4),
        maxParallel: fc.integer({ min: 1, max: 3 }),
        rest: tie('stretch'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('manager' as const), child: tie('stretch'), attributes: managing }),
    },
  ),
}));

/** Workflows with forks, branches for items, sub-workflows, gates, waits and loops, one inside the other. */
export const drawings: fc.Arbitrary<Drawing> = fc.record({
  main: stretch,
  attributes: fc.constantFrom('', '', 'retry_target=n1', 'loop_restart_signature_limit=2'),
});

/** A drawing as the source of its workflow. */
export function sourceOf({ main, attributes: ofGraph }: Drawing): string {
  return new Writer().graph(main, ofGraph);
}

/** Names nodes n1, n2 … and writes what is drawn. */
class Writer {
  private named = 0;

  graph(main: Stretch, ofGraph: string): string {
    const { text, entry, exit } = this.stretch(main);
    return `digraph Drawn {
      start [shape=Mdiamond]; exit [shape=Msquare]; max_node_visits=${MAX_VISITS} ${ofGraph}
      ${text} start -> ${entry}; ${exit} -> exit;
    }`;
  }

  /** The pieces in a row; `exit` is the node from which everything goes on. */
  private stretch({ pieces, shortcuts }: Stretch): { text: string; entry: string; exit: string } {
    const written = pieces.map((piece) => this.piece(piece));
    const onward = written.slice(1).map(({ entry }, n) => `${written[n]!.exit} -> ${entry};`);
    const extra = shortcuts.flatMap(({ from, to, how }) => {
      const [tail, head] = [written[from % written.length]!, written[to % written.length]!];
      return tail.isDice && how.includes('condition') ? [] : [`${tail.exit} -> ${head.entry} [${how}];`];
    });
    const text = [...written.map((piece) => piece.text), ...onward, ...extra].join(' ');
    return { text, entry: written[0]!.entry, exit: written.at(-1)!.exit };
  }

  private piece(piece: Piece): { text: string; entry: string; exit: string; isDice?: boolean } {
    const id = this.name();
    switch (piece.kind) {
      case 'leaf': {
        const isDice = piece.attributes === 'selection=random';
        return { text: `${id} [${shapes[piece.shape]}, ${piece.attributes}];`, entry: id, exit: id, isDice };
      }
      case 'fork': {
        const join = this.name();
        const branches = piece.branches.map((branch) => this.stretch(branch));
        const ways = branches.map(({ text, entry, exit }) => `${text} ${id} -> ${entry}; ${exit} -> ${join};`);
        const nodes = `${id} [shape=component, max_parallel=${piece.maxParallel}]; ${join} [shape=${piece.join}];`;
        return { text: `${nodes} ${ways.join(' ')}`, entry: id, exit: join };
      }
      case 'each': {
        const [model, join] = [this.name(), this.name()];
        const rest = this.stretch(piece.rest);
        const items = JSON.stringify(Array.from({ length: piece.items }, (_, n) => n));
        const nodes = `${id} [shape=component, max_parallel=${piece.maxParallel}, for_each="${items}"];
          ${model} [shape=tab, prompt="Hi"]; ${join} [shape=tripleoctagon];`;
        const way = `${id} -> ${model} -> ${rest.entry}; ${rest.exit} -> ${join};`;
        return { text: `${nodes} ${rest.text} ${way}`, entry: id, exit: join };
      }
      case 'manager': {
        const source = this.graph(piece.child, '').replace(/[\\"]/g, '\\$&');
        const text = `${id} [shape=house, manager.poll_interval=50s, manager.max_cycles=4, stack.child_dot_source="${source}", ${piece.attributes}];`;
        return { text, entry: id, exit: id };
      }
    }
  }

  private name(): string {
    return `n${++this.named}`;
  }
}
