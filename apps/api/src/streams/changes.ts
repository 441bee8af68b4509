/** Wakes those who found nothing once there may be something. A change between looking and waiting is not missed. */
export class Changes {
  private moment = 0;
  private waiting: (() => void)[] = [];

  now(): number {
    return this.moment;
  }

  after(mark: number, wake: () => void): void {
    if (mark === this.moment) this.waiting.push(wake);
    else wake();
  }

  tell(): void {
    this.moment += 1;
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) wake();
  }
}
