import teardown from './global-teardown.js';

export default async function teardownWithBuild() {
  await globalThis.testBuild?.remove();
  await teardown();
}
