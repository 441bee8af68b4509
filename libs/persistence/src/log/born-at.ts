/**
 * SQL: when a run was stored, to the microsecond. It tells a run from an earlier one that had the same id.
 */
export function bornAt(createdAt: string): string {
  return `to_char(${createdAt} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
