const TOKEN = /\{\{\s*([A-Za-z_]\w*)(?:\.([\w-]+))?\s*\}\}/g;

/** Tokens that no value can be put in the place of here: sentences that name the token and what to do. */
export function unreadableTokens(texts: Readonly<Record<string, string>>, where: string): string[] {
  return Object.entries(texts).flatMap(([key, text]) =>
    [...text.matchAll(TOKEN)].map(
      ([token, namespace, name = '']) => `${where}.${key}: ${problemWith(token, namespace!, name)}`,
    ),
  );
}

function problemWith(token: string, namespace: string, name: string): string {
  switch (namespace) {
    case 'vars':
      return `${token} names the variable "${name}", which this server does not have.`;
    case 'secrets':
      return `${token} names the secret "${name}", which this server does not have.`;
    case 'env':
      return `${token}: the environment of the server is no source of values; use a variable or a secret.`;
    default:
      return `${token} is no token; write {{ vars.NAME }} or {{ secrets.NAME }}.`;
  }
}
