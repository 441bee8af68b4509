import { type Wire } from '../../../apps/api/src/streams/outlet.js';

/** A client that takes what it is sent only while it is awake. */
export class FakeWire implements Wire {
  awake = true;
  ended = false;
  wasCut = false;
  text = '';
  private readonly undelivered: (() => void)[] = [];
  private closeListener: () => void = () => undefined;

  write(bytes: Buffer, done: () => void): void {
    this.text += bytes.toString();
    if (this.awake) done();
    else this.undelivered.push(done);
  }

  wake(): void {
    this.awake = true;
    for (const done of this.undelivered.splice(0)) done();
  }

  end(): void {
    this.ended = true;
    if (this.awake) this.closeListener();
  }

  cut(): void {
    this.wasCut = true;
    this.closeListener();
  }

  /** The client goes away. */
  leave(): void {
    this.closeListener();
  }

  onClose(listener: () => void): void {
    this.closeListener = listener;
  }

  /** The ids of the frames that were sent. */
  get seqs(): number[] {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
  }
}
