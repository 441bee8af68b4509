/**
 * A URL without what lets its reader in: password, query and fragment, and the user of an HTTP address, who may be a token.
 * The user of an SSH address is part of the place.
 */
export function withoutCredentials(text: string): string {
  const url = text.includes('://') ? URL.parse(text) : null;
  if (!url) return text.includes('://') ? text.replace(/\/\/[^/]*@/, '//') : text;
  url.password = '';
  if (url.protocol.startsWith('http')) url.username = '';
  url.search = '';
  url.hash = '';
  return url.href;
}
