import { catalogue, type AttributeDeclaration, type AttributeOwner } from '../graph/attribute-catalogue.js';
import { attributeMeanings } from '../graph/attribute-meanings.js';
import { kindOfShape } from '../graph/handler-kind.js';

const TITLES: readonly (readonly [AttributeOwner, string])[] = [
  ['graph', 'The graph'],
  ['node', 'Nodes'],
  ['edge', 'Edges'],
];

const TYPES: Readonly<Record<AttributeDeclaration['type'], string>> = {
  string: 'text',
  integer: 'number',
  boolean: '`true`, `false`',
  duration: 'time',
  'switchable duration': 'time, or 0',
};

/** Every attribute of the language as a page of Markdown: what it takes, where it counts, what it does. */
export function attributePage(): string {
  const sections = TITLES.map(([owner, title]) => [`## ${title}`, tableOf(owner)].join('\n\n'));
  const intro =
    '# Attributes\n\nWhere the third column names kinds of nodes, the attribute has no effect on other kinds, and\n' +
    '`runyard validate` says so.';
  return `${[intro, ...sections].join('\n\n')}\n`;
}

function tableOf(owner: AttributeOwner): string {
  const rows = [...catalogue[owner].values()].map((declared) => rowOf(owner, declared));
  return ['| Attribute | Takes | Counts for | What it does |', '|---|---|---|---|', ...rows].join('\n');
}

function rowOf(owner: AttributeOwner, { name, type, readBy }: AttributeDeclaration): string {
  const kinds = readBy?.map((kind) => `${kind} (\`${shapeOf(kind)}\`)`).join(', ') ?? 'all';
  return `| \`${name}\` | ${TYPES[type]} | ${kinds} | ${attributeMeanings[owner][name]} |`;
}

function shapeOf(kind: string): string | undefined {
  return [...kindOfShape].find(([, of]) => of === kind)?.[0];
}
