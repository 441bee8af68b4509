import {
  applyToRunView,
  applyToStageViews,
  beginRunView,
  type EventEnvelope,
  type RunView,
  type StageView,
} from '#libs/events';

/** A run's views while events are added. Closed stages need not be known: nothing changes them any more. */
export class ViewFold {
  seq: number;
  view: RunView;
  /** The stages that these events made or changed. */
  readonly changed = new Map<string, StageView>();
  /** Events added. */
  count = 0;
  private readonly stages = new Map<string, StageView>();

  /** Goes on where a stored view ends; at seq 0 nothing of it counts. */
  constructor({ seq, view }: { seq: number; view: string }) {
    this.seq = seq;
    this.view = JSON.parse(view) as RunView;
  }

  know(stage: StageView): void {
    this.stages.set(stage.id, stage);
  }

  apply(envelope: EventEnvelope): void {
    this.view = this.seq === 0 ? beginRunView(envelope) : applyToRunView(this.view, envelope);
    const isOpen = (stage: StageView): boolean => stage.ended_at === null;
    const changes = applyToStageViews(
      envelope,
      (id) => this.stages.get(id),
      () => [...this.stages.values()].filter(isOpen),
    );
    for (const stage of changes) {
      this.stages.set(stage.id, stage);
      this.changed.set(stage.id, stage);
    }
    this.seq = envelope.seq;
    this.count++;
  }
}
