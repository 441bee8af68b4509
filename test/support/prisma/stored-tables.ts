import type { RunDatabase } from '../run-database.js';
import { columnText, indexText, referenceText, type Column, type Reference, type TableShape } from './table-shape.js';

type Asking = Pick<RunDatabase, 'sql'>;

/** The tables of a migrated database, without the partitions that belong to one of them and Prisma's own list. */
export async function storedTables({ sql }: Asking): Promise<string[]> {
  const rows = await sql<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname <> '_prisma_migrations' ORDER BY relname`,
  );
  return rows.map(({ name }) => name);
}

export async function storedShape({ sql }: Asking, table: string): Promise<TableShape> {
  const columns = await sql<Column>(
    `SELECT column_name AS name, udt_name AS type, is_nullable = 'YES' AS "isNullable", column_default AS fallback
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
    [table],
  );
  const references = await sql<Reference>(
    `SELECT ${names('conkey', 'conrelid')} AS columns, confrelid::regclass::text AS table,
            ${names('confkey', 'confrelid')} AS keys, ${action('confdeltype')} AS "onDelete", ${action('confupdtype')} AS "onUpdate"
       FROM pg_constraint WHERE contype = 'f' AND conrelid = $1::regclass`,
    [table],
  );
  const indexes = await sql<{ columns: string[]; isPrimary: boolean; isUnique: boolean }>(
    `SELECT ${names('indkey', 'indrelid')} AS columns, indisprimary AS "isPrimary", indisunique AS "isUnique"
       FROM pg_index WHERE indrelid = $1::regclass AND indpred IS NULL AND indexprs IS NULL`,
    [table],
  );
  return {
    columns: columns.map(columnText).sort(),
    primaryKey: indexes.find(({ isPrimary }) => isPrimary)!.columns.join(', '),
    references: references.map(referenceText).sort(),
    indexes: indexes
      .filter(({ isPrimary }) => !isPrimary)
      .map((index) => indexText(index.columns, index.isUnique))
      .sort(),
  };
}

/** The names of numbered columns, in their order. */
function names(numbers: string, relation: string): string {
  return `(SELECT json_agg(attname ORDER BY place) FROM unnest(${numbers}) WITH ORDINALITY AS listed (number, place)
            JOIN pg_attribute ON attrelid = ${relation} AND attnum = number)`;
}

function action(column: string): string {
  return `CASE ${column} WHEN 'a' THEN 'NO ACTION' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL'
            WHEN 'r' THEN 'RESTRICT' ELSE 'SET DEFAULT' END`;
}
