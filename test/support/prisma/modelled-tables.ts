import { columnText, indexText, referenceText, type TableShape } from './table-shape.js';

/** As far as the schema uses them; a type that is missing here is named by whoever meets it. */
const TYPES: Record<string, string> = {
  BigInt: 'int8',
  Boolean: 'bool',
  'DateTime @db.Timestamptz': 'timestamptz',
  Int: 'int4',
  Json: 'jsonb',
  String: 'text',
};
const ACTIONS: Record<string, string> = {
  Cascade: 'CASCADE',
  NoAction: 'NO ACTION',
  Restrict: 'RESTRICT',
  SetNull: 'SET NULL',
};

interface Field {
  name: string;
  type: string;
  isOptional: boolean;
  isList: boolean;
  /** What stands behind the type. */
  attributes: string;
}

interface Model {
  name: string;
  table: string;
  fields: Field[];
  /** What stands for the whole model, such as `@@id([tenantId, id])`. */
  attributes: string[];
}

/** The tables that the models of a Prisma schema describe, by name: what Prisma would make of them in PostgreSQL. */
export function modelledTables(schema: string): Map<string, TableShape> {
  const models = [...schema.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)].map(([, name, body]) => modelFrom(name!, body!));
  const byName = new Map(models.map((model) => [model.name, model]));
  return new Map(models.map((model) => [model.table, shapeOf(model, byName)]));
}

function modelFrom(name: string, body: string): Model {
  const lines = body
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'));
  const attributes = lines.filter((line) => line.startsWith('@@'));
  const table = within(attributes.find((line) => line.startsWith('@@map')) ?? '', /"(\w+)"/) ?? name;
  return { name, table, fields: lines.filter((line) => !line.startsWith('@@')).map(fieldFrom), attributes };
}

function fieldFrom(line: string): Field {
  const [, name, type, mark, attributes] = /^(\w+)\s+(\w+)(\?|\[\])?\s*(.*)$/.exec(line)!;
  return { name: name!, type: type!, isOptional: mark === '?', isList: mark === '[]', attributes: attributes! };
}

function shapeOf(model: Model, models: ReadonlyMap<string, Model>): TableShape {
  const columns = model.fields.filter(({ type }) => !models.has(type));
  const relations = model.fields.filter(({ attributes }) => attributes.startsWith('@relation'));
  const ids = columns.filter(({ attributes }) => /@id\b/.test(attributes)).map(columnOf);
  const listed = (kind: string): string[][] =>
    model.attributes.filter((line) => line.startsWith(kind)).map((line) => columnsIn(model, line));
  return {
    columns: columns.map(columnIn).sort(),
    primaryKey: [...listed('@@id').flat(), ...ids].join(', '),
    references: relations.map((field) => reference(model, field, models.get(field.type)!)).sort(),
    indexes: [
      ...listed('@@index').map((names) => indexText(names, false)),
      ...listed('@@unique').map((names) => indexText(names, true)),
      ...columns
        .filter(({ attributes }) => /@unique\b/.test(attributes))
        .map((one) => indexText([columnOf(one)], true)),
    ].sort(),
  };
}

function columnIn(field: Field): string {
  const native = within(field.attributes, /@db\.(\w+)/);
  const written = native === undefined ? field.type : `${field.type} @db.${native}`;
  const type = TYPES[written];
  if (type === undefined || field.isList) throw new Error(`No column is known for ${field.name} ${written}.`);
  const fallback = within(field.attributes, /@default\(("[^"]*"|\w+(?:\(\))?)\)/) ?? null;
  return columnText({ name: columnOf(field), type, isNullable: field.isOptional, fallback });
}

/** Prisma's own defaults: a reference that may be missing is emptied, another one keeps its target. */
function reference(model: Model, { attributes, isOptional }: Field, target: Model): string {
  const actionOf = (name: string): string | undefined => ACTIONS[within(attributes, RegExp(`${name}: (\\w+)`)) ?? ''];
  return referenceText({
    columns: columnsIn(model, within(attributes, /fields: (\[[^\]]*\])/)!),
    table: target.table,
    keys: columnsIn(target, within(attributes, /references: (\[[^\]]*\])/)!),
    onDelete: actionOf('onDelete') ?? (isOptional ? 'SET NULL' : 'RESTRICT'),
    onUpdate: actionOf('onUpdate') ?? 'CASCADE',
  });
}

/** The columns of a list of fields, such as `[tenantId, id(sort: Desc)]`. */
function columnsIn({ fields }: Model, text: string): string[] {
  const list = within(text, /\[([^\]]*)\]/)!.replace(/\([^)]*\)/g, '');
  return list.split(',').map((name) => columnOf(fields.find((field) => field.name === name.trim())!));
}

function columnOf({ name, attributes }: Field): string {
  return within(attributes, /@map\("(\w+)"\)/) ?? name;
}

function within(text: string, pattern: RegExp): string | undefined {
  return pattern.exec(text)?.[1];
}
