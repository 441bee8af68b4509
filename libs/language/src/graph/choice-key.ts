/** The key that the label of a choice proposes: `[K] …`, `k) …`, `k - …`, else its first character. */
export function choiceKey(label: string): string {
  const text = label.trim();
  const written =
    /^\[([^\]]+)\]/.exec(text)?.[1]?.trim() ||
    /^([\p{L}\p{N}]{1,3})\)/u.exec(text)?.[1] ||
    /^([\p{L}\p{N}]{1,3}) - /u.exec(text)?.[1];
  return written ?? [...text][0] ?? '?';
}
