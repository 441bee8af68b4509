import setup from './global-setup.js';
import { makePrivateBuild } from './private-build.js';

/** For specs that start whole programs: one build for all of them, beside the PostgreSQL. */
export default async function setupWithBuild() {
  const [build] = await Promise.all([makePrivateBuild(), setup()]);
  process.env.TEST_BUILD = build.folder;
  globalThis.testBuild = build;
}
