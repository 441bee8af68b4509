import { Screen } from '../../../apps/cli/src/terminal/screen.js';

/** A screen that is a pipe, and what was written to it. */
export class CapturedScreen extends Screen {
  readonly written: { stdout: string; stderr: string };

  constructor() {
    const written = { stdout: '', stderr: '' };
    super(
      { write: (text: string) => (written.stdout += text) },
      { write: (text: string) => (written.stderr += text) },
      {},
    );
    this.written = written;
  }
}
