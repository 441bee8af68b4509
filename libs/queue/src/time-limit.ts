const CLOSE_MS = 2_000;

/** Rejects when the work takes longer; the work itself goes on unheard. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${Math.round(ms)} ms.`)), Math.max(ms, 0));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface End {
  close(force?: boolean): Promise<void>;
}

/**
 * Closes an end of the queue: in order when its server answers, else by cutting its connections, because an orderly
 * close would wait for the server to come back. Never rejects.
 */
export async function closeSoon(end: End, serverAnswers: boolean): Promise<void> {
  // The process ends, and with it whatever does not close.
  await within(CLOSE_MS, end.close(!serverAnswers)).catch(() => undefined);
}
