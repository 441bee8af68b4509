/** What Prisma compares of a table when it drafts a migration; every list is sorted. */
export interface TableShape {
  /** `created_at timestamptz not null default now()` */
  readonly columns: readonly string[];
  /** `tenant_id, id` */
  readonly primaryKey: string;
  /** `(tenant_id) tenants (id), CASCADE on delete, NO ACTION on update` */
  readonly references: readonly string[];
  /** Of whole columns and all rows, since Prisma knows no others: `unique (tenant_id, name)`. */
  readonly indexes: readonly string[];
}

export interface Column {
  name: string;
  type: string;
  isNullable: boolean;
  fallback: string | null;
}

export function columnText({ name, type, isNullable, fallback }: Column): string {
  return `${name} ${type}${isNullable ? '' : ' not null'}${fallback === null ? '' : ` default ${fallback}`}`;
}

export interface Reference {
  columns: readonly string[];
  table: string;
  keys: readonly string[];
  onDelete: string;
  onUpdate: string;
}

export function referenceText({ columns, table, keys, onDelete, onUpdate }: Reference): string {
  return `(${columns.join(', ')}) ${table} (${keys.join(', ')}), ${onDelete} on delete, ${onUpdate} on update`;
}

export function indexText(columns: readonly string[], isUnique: boolean): string {
  return `${isUnique ? 'unique ' : ''}(${columns.join(', ')})`;
}
