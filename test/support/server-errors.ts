interface Line {
  msg?: string;
  requestId?: string;
  method?: string;
  route?: string;
  status?: number;
  error?: { message?: string };
}

/** Every request that was answered with 500, with the cause that the log of its process names. */
export function serverErrors(apis: readonly { output: string }[]): string[] {
  const lines = apis.flatMap(({ output }) => output.split('\n').map(parsed));
  const causes = new Map<string | undefined, string | undefined>();
  for (const { msg, requestId, error } of lines) {
    if (msg === 'A request failed on our side.') causes.set(requestId, error?.message);
  }
  return lines
    .filter(({ status }) => status === 500)
    .map(({ method, route, requestId }) => `${method} ${route} was answered with 500: ${causes.get(requestId) ?? '?'}`);
}

/** Nothing of a line that was cut off when its process died. */
function parsed(line: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return {};
  }
}
