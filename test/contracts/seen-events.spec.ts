import { expect, it } from '@jest/globals';
import type { EventCatalogue } from '#libs/events';
import type { SeenProperties } from '../../apps/cli/src/follow/seen-event.js';

/** The names of events of which the command line reads what the catalogue does not promise. */
type Unpromised = {
  [Name in keyof SeenProperties]: Name extends keyof EventCatalogue
    ? EventCatalogue[Name] extends SeenProperties[Name]
      ? never
      : Name
    : Name;
}[keyof SeenProperties];

it('reads of each event what the catalogue promises; the compiler says which it does not', () => {
  const unpromised: Unpromised[] = [];
  expect(unpromised satisfies never[]).toEqual([]);
});
