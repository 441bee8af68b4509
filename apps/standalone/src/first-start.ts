import { writeFile } from 'node:fs/promises';
import {
  FIRST_SETTINGS,
  parseSettings,
  readSettings,
  readToken,
  saveToken,
  type Home,
  type Settings,
} from '#libs/config';
import { ensureDevToken, issueDevToken, type Platform } from '#libs/server-runtime';

/** The settings of this home; on the first start they are written down, readable by their owner only. */
export async function settingsOf(home: Home): Promise<Settings> {
  const settings = await readSettings(home.settings);
  if (settings) return settings;
  await writeFile(home.settings, FIRST_SETTINGS, { mode: 0o600, flag: 'wx' });
  return parseSettings(FIRST_SETTINGS, home.settings);
}

/**
 * Lets the local client sign in: a token is made once, or given by RUNYARD_DEV_TOKEN; its digest is stored by the server
 * and its text by the client of this home. Returns the text when it was made just now, and never a given one.
 */
export async function signLocalClientIn(
  platform: Platform,
  home: Home,
  addresses: readonly string[],
): Promise<string | null> {
  const known = await readToken(home, addresses[0]!);
  const given = process.env.RUNYARD_DEV_TOKEN || undefined;
  const ensured = await ensureDevToken(platform.tokens, given);
  const made = ensured ?? (known === undefined && given === undefined ? await issueDevToken(platform.tokens) : null);
  const token = made ?? known ?? given!;
  for (const address of addresses) await saveToken(home, address, token);
  return made;
}
