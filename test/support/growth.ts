const TRIES = 2;

/**
 * How many times the work of a process grows when what it works on becomes four times as large: about 4 where it is in
 * proportion, 16 where it is quadratic. It is CPU time against CPU time on the same machine at the same moment, so a slow or
 * busy one changes nothing; of several tries the least counts, since what else happens meanwhile only adds.
 */
export function growth(prepare: (size: number) => () => unknown, size: number): number {
  const least = (of: number): number => Math.min(...Array.from({ length: TRIES }, () => cpuMicros(prepare(of))));
  cpuMicros(prepare(size));
  const small = least(size);
  return least(4 * size) / small;
}

/** Between {@link growth} in proportion and that of a square, on the safe side of both. */
export const IN_PROPORTION = 9;

function cpuMicros(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
