// The threads with open questions, and how they are kept up to date.

import { signal } from "@preact/signals";
import type { Api } from "../../api/http.ts";
import type { Thread } from "../../api/types.ts";
import { watch, type Watching } from "../../api/watch.ts";
import { setLink } from "../../connection.ts";

export type WaitingThread = Pick<Thread, "thread_id" | "updated_at" | "metadata" | "interrupts"> & {
  state_updated_at?: string;
};

const FIELDS = ["thread_id", "updated_at", "state_updated_at", "metadata", "interrupts"];
const SHOWN = 500;

export class Waiting {
  readonly threads = signal<readonly WaitingThread[] | undefined>(undefined);
  readonly total = signal<number | undefined>(undefined);
  readonly refused = signal<string | undefined>(undefined);
  readonly lost = signal<string | undefined>(undefined);
  readonly readAt = signal<number | undefined>(undefined);
  private watching: Watching | undefined;

  constructor(private readonly api: Api) {}

  start(): () => void {
    this.watching = watch(this.api, {
      of: ["threads"],
      read: async (signal) => {
        const order = { sort_by: "state_updated_at", sort_order: "asc" };
        const body = { status: "interrupted", ...order, limit: SHOWN, select: FIELDS };
        const page = await this.api.search<WaitingThread>("/threads/search", body, signal);
        // A thread that stopped at a breakpoint or failed in its middle asks nothing.
        this.threads.value = page.items.filter((thread) => Object.values(thread.interrupts).flat().length > 0);
        const others = page.items.length - this.threads.value.length;
        this.total.value = page.total === undefined ? undefined : page.total - others;
        this.readAt.value = Date.now();
      },
      onLink: (link) => {
        this.lost.value = link?.state === "lost" ? link.reason : undefined;
        setLink(this, link);
      },
      onRefused: (error) => {
        this.refused.value = error.message;
      },
    });
    return () => {
      this.watching?.stop();
      setLink(this, undefined);
    };
  }

  refresh(): void {
    this.watching?.now();
  }
}
