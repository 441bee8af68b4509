/**
 * A label as it is compared: trimmed, lower case, without one accelerator prefix: `[…] `, `x) ` or `x - `.
 * `[OK] Ship`, `Y) Ship` and `ship` are the same label; in `yes) x` nothing is a prefix.
 */
export function normalizeLabel(label: string): string {
  return label
    .trim()
    .toLowerCase()
    .replace(/^(?:\[[^\]]*\]\s*|[^\s]\)\s*|[^\s] - )/u, '');
}
