import type { Statement } from './database.js';

/** The SQL type of a column, and its value in a row. `json lines` are JSON texts that travel as the lines of one text. */
type Column<Row> = readonly [type: string, value: (row: Row) => unknown];

type ValuesOf<Input> = (input: Input) => readonly unknown[];

/** Numbers the parameters of a statement in the order in which its text names them, and keeps how each gets its value. */
export class Parameters<Input> {
  private count = 0;
  private readonly groups: ValuesOf<Input>[] = [];

  /** One value. */
  value(type: string, of: (input: Input) => unknown): string {
    this.groups.push((input) => [of(input)]);
    return `${this.next()}::${type}`;
  }

  /** Rows as parallel arrays, under this name with these columns, and their places from 1 on where `place` names a column. */
  rows<Row>(
    name: string,
    of: (input: Input) => readonly Row[],
    columns: Readonly<Record<string, Column<Row>>>,
    place?: string,
  ): string {
    const all = Object.values(columns);
    this.groups.push((input) => {
      const rows = of(input);
      return all.map(([type, value]) => {
        const values = rows.map(value);
        return type === 'json lines' ? values.join('\n') : values;
      });
    });
    const arrays = all.map(([type]) =>
      type === 'json lines' ? `string_to_array(${this.next()}, chr(10))::json[]` : `${this.next()}::${type}[]`,
    );
    const names = Object.keys(columns).join(', ');
    const rows = `unnest(${arrays.join(', ')})`;
    return place === undefined
      ? `${rows} AS ${name}(${names})`
      : `${rows} WITH ORDINALITY AS ${name}(${names}, ${place})`;
  }

  /** The values of all parameters, in their order. */
  valuesOf(input: Input): unknown[] {
    return this.groups.flatMap((group) => group(input));
  }

  private next(): string {
    return `$${++this.count}`;
  }
}

/** A statement with its values, as `Database` sends it. */
export interface Filled {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** A statement whose text says where each parameter comes from; the text is written once. */
export function prepared<Input>(
  name: string,
  write: (parameters: Parameters<Input>) => string,
): (input: Input) => Filled {
  const parameters = new Parameters<Input>();
  const statement = { name, text: write(parameters) };
  return (input) => ({ statement, values: parameters.valuesOf(input) });
}
