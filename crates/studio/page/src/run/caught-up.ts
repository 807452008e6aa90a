// The model of a thread's events, which can be built anew from the first event when more channels are streamed. Until it knows
// as much as before, the model of before is shown.

import type { ThreadEvent } from "../api/events.ts";
import { Fold } from "./fold.ts";
import type { RunModel } from "./model.ts";

export class CaughtUp {
  /** What is shown: the same object until something changes. */
  model: RunModel;
  private fold = new Fold();
  /** The number of the event from which on the model that is built is shown. */
  private from = 0;

  constructor() {
    this.model = this.fold.model;
  }

  /** The last event that was taken up: the stream goes on behind it. */
  get seq(): number {
    return this.fold.model.seq;
  }

  /** Begins anew: all events are to come again. */
  anew(): void {
    this.from = this.model.seq;
    this.fold = new Fold();
  }

  /** Shows what is there, where events that are waited for do not come any more. */
  show(): void {
    this.from = 0;
    this.model = this.fold.model;
  }

  /** Takes up events, and says whether what is shown has changed. */
  take(events: readonly ThreadEvent[]): boolean {
    this.fold.take(events);
    const { model } = this.fold;
    if (model === this.model || model.seq < this.from) return false;
    this.model = model;
    return true;
  }
}
