// A thread as it is now: its record and its runs, read when they change, and the model of its events, followed.

import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { follow, type ThreadEvent } from "../../api/events.ts";
import { type Api, ApiError, told } from "../../api/http.ts";
import type { Run, Thread } from "../../api/types.ts";
import { api, streamLink } from "../../connection.ts";
import { CHANNELS, Fold, TRACE } from "../../run/fold.ts";
import type { RunModel } from "../../run/model.ts";
import { ahead } from "./clock.ts";

/** Runs that are listed. */
const RUNS = 1000;
/** Changes that come close together are read once, in milliseconds. */
const GATHER = 150;

/** A run, with the graph where the server says it. */
export interface ListedRun extends Run {
  cancel_reason?: string;
}

export class Followed {
  readonly model: Signal<RunModel>;
  readonly record = signal<Thread | undefined>(undefined);
  readonly runs = signal<ListedRun[] | undefined>(undefined);
  /** The nodes at which a stopped thread would go on; `undefined` where that is not known. */
  readonly next = signal<string[] | undefined>(undefined);
  /** Whether the record is older than the last event of a run. */
  readonly isStale = signal(false);
  /** Why the thread cannot be read. */
  readonly problem = signal<ApiError | undefined>(undefined);
  /** Why its events cannot be read. */
  readonly refused = signal<string | undefined>(undefined);
  /** How far the server's clock is ahead, in milliseconds. */
  readonly by = signal(0);

  /** How often a person asked to try again. */
  readonly tries = signal(0);

  private readonly fold = new Fold();
  private hasTrace = true;
  private wasLost = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  private stop = () => {};

  constructor(
    readonly thread: string,
    private readonly server: () => Api,
  ) {
    this.model = signal(this.fold.model);
  }

  /** Reads the record and the runs now. */
  async read(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const asked = ++this.asked;
    const server = this.server();
    try {
      const [answer, runs] = await Promise.all([
        server.send("GET", `/threads/${encodeURIComponent(this.thread)}`),
        server.get<ListedRun[]>(`/threads/${encodeURIComponent(this.thread)}/runs?limit=${RUNS}`),
      ]);
      const record = (await answer.json()) as Thread;
      const next = record.status === "interrupted" ? await this.readNext(server) : undefined;
      // An answer that a later question overtook is old.
      if (asked !== this.asked) return;
      this.by.value = ahead(answer);
      this.record.value = record;
      this.runs.value = runs;
      this.next.value = next;
      this.problem.value = undefined;
      this.isStale.value = false;
    } catch (error) {
      if (asked !== this.asked) return;
      this.problem.value = error instanceof ApiError ? error : new ApiError(0, told(error));
      // A thread that is not there tells nothing.
      if (this.problem.value.status === 404 || this.problem.value.status === 422) this.leave();
    }
  }

  /** A thread is called interrupted after any cancel, also where nothing is left to go on with. */
  private async readNext(server: Api): Promise<string[] | undefined> {
    if (server.isSaved) return undefined;
    try {
      const path = `/threads/${encodeURIComponent(this.thread)}/state?select=next`;
      return (await server.get<{ next: string[] }>(path)).next;
    } catch {
      // The record is there, and the server says on "Continue" what is wrong.
      return undefined;
    }
  }

  /** Follows the events until the returned function is called. */
  follow(server: Api): () => void {
    const start = () => {
      const { seq } = this.fold.model;
      this.stop = follow(server, {
        thread: encodeURIComponent(this.thread),
        channels: this.hasTrace ? [...CHANNELS, TRACE] : CHANNELS,
        ...(seq > 0 ? { since: seq } : {}),
        onEvents: (events) => this.take(events),
        onLink: (link) => {
          streamLink.value = link;
          // What happened while the server was away may be of the record.
          if (link.state === "live" && this.wasLost) void this.read();
          this.wasLost = link.state === "lost" || (this.wasLost && link.state !== "live");
        },
        onRefused: (error) => {
          // An older server has no attempts to tell.
          if (this.hasTrace && error.status === 400) {
            this.hasTrace = false;
            start();
            return;
          }
          streamLink.value = undefined;
          this.refused.value = error.message;
        },
      });
    };
    this.refused.value = undefined;
    start();
    void this.read();
    return () => {
      this.leave();
      clearTimeout(this.timer);
    };
  }

  /** Follows the events no longer. */
  private leave(): void {
    this.stop();
    this.stop = () => {};
    streamLink.value = undefined;
  }

  private take(events: ThreadEvent[]): void {
    const before = this.fold.model;
    this.fold.take(events);
    if (this.fold.model === before) return;
    this.model.value = this.fold.model;
    if (!events.some((event) => event.method === "lifecycle" && event.params?.namespace?.length === 0)) return;
    this.isStale.value = true;
    this.timer ??= setTimeout(() => void this.read(), GATHER);
  }
}

/** The thread, followed while the view is shown. */
export function useThread(thread: string): Followed {
  const followed = useMemo(() => new Followed(thread, () => api.peek()), [thread]);
  const server = api.value;
  const tries = followed.tries.value;
  useEffect(() => followed.follow(server), [followed, server, tries]);
  return followed;
}
