// A thread as it is now: its record and its runs, read when they change, and the model of its events, followed.

import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { follow, type ThreadEvent } from "../../api/events.ts";
import { type Api, ApiError, told } from "../../api/http.ts";
import type { Run, Thread } from "../../api/types.ts";
import { api, setLink } from "../../connection.ts";
import { CaughtUp } from "../../run/caught-up.ts";
import { TRACE } from "../../run/fold.ts";
import type { RunModel } from "../../run/model.ts";
import { channelsWithout } from "../../run/streamed.ts";
import { ahead } from "./clock.ts";
import { leftOut } from "./streamed.tsx";

/** Runs that are listed, and what is read of them: not with what they began, which may be long. */
const RUNS = 1000;
const FIELDS = ["run_id", "thread_id", "assistant_id", "status", "created_at", "updated_at", "metadata"];
const LISTED = new URLSearchParams([["limit", String(RUNS)], ...FIELDS.map((field) => ["select", field])]).toString();
/** A thread of which no event came for so long has none, in milliseconds. */
const SILENCE = 1000;
/** The views ask for what they need within this time, in milliseconds. */
const MOMENT = 10;
/** Changes that come close together are read once, in milliseconds. */
const GATHER = 150;

/** A run as it is listed. */
export interface ListedRun extends Omit<Run, "kwargs"> {
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
  /** Whether nothing was told for a while: of a copy there are no events. */
  readonly isSilent = signal(false);
  /** Why the thread cannot be read. */
  readonly problem = signal<ApiError | undefined>(undefined);
  /** Why its events cannot be read. */
  readonly refused = signal<string | undefined>(undefined);
  /** How far the server's clock is ahead, in milliseconds. */
  readonly by = signal(0);

  /** How often a person asked to try again. */
  readonly tries = signal(0);

  /** How often the model was built anew, from the first event. */
  readonly built = signal(0);

  private readonly told = new CaughtUp();
  private channels: readonly string[] | undefined;
  private hasTrace = true;
  private wasLost = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  private start: (() => void) | undefined;
  private starting: ReturnType<typeof setTimeout> | undefined;
  private stop = () => {};

  constructor(
    readonly thread: string,
    private readonly server: () => Api,
  ) {
    this.model = signal(this.told.model);
  }

  /** Reads the record and the runs now. */
  async read(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const asked = ++this.asked;
    const server = this.server();
    try {
      const [{ record, next, by }, runs] = await Promise.all([
        this.readRecord(server),
        server.get<ListedRun[]>(`${this.path}/runs?${LISTED}`),
      ]);
      // An answer that a later question overtook is old.
      if (asked !== this.asked) return;
      this.by.value = by;
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
      else this.begin();
    }
  }

  private get path(): string {
    return `/threads/${encodeURIComponent(this.thread)}`;
  }

  private async readRecord(server: Api): Promise<{ record: Thread; next: string[] | undefined; by: number }> {
    const answer = await server.send("GET", this.path);
    const record = (await answer.json()) as Thread;
    const by = ahead(answer);
    // The views begin with the first record; what else is said of the thread may come later.
    if (this.record.peek() === undefined) {
      this.by.value = by;
      this.record.value = record;
    }
    const next = record.status === "interrupted" ? await this.readNext(server) : undefined;
    return { record, next, by };
  }

  /** A thread is called interrupted after any cancel, also where nothing is left to go on with. */
  private async readNext(server: Api): Promise<string[] | undefined> {
    if (server.isSaved) return undefined;
    try {
      return (await server.get<{ next: string[] }>(`${this.path}/state?select=next`)).next;
    } catch {
      // The record is there, and the server says on "Continue" what is wrong.
      return undefined;
    }
  }

  /**
   * Reads the thread and follows the events of these channels until the returned function is called. They are asked for when
   * the views have begun, or when the record cannot be read: a long history would stand before what the views ask for.
   */
  follow(server: Api, channels: readonly string[]): () => void {
    this.choose(channels);
    const start = () => {
      const { seq } = this.told;
      this.stop = follow(server, {
        thread: encodeURIComponent(this.thread),
        channels: channels.filter((channel) => this.hasTrace || channel !== TRACE),
        ...(seq > 0 ? { since: seq } : {}),
        onEvents: (events) => this.take(events),
        onLink: (link) => {
          setLink(this, link);
          // What happened while the server was away may be of the record.
          if (link.state === "live" && this.wasLost) void this.read();
          this.wasLost = link.state === "lost" || (this.wasLost && link.state !== "live");
          if (link.state === "live") this.silence ??= setTimeout(() => (this.isSilent.value = true), SILENCE);
        },
        onRefused: (error) => {
          // An older server has no attempts to tell.
          if (this.hasTrace && channels.includes(TRACE) && error.status === 400) {
            this.hasTrace = false;
            start();
            return;
          }
          setLink(this, undefined);
          this.isSilent.value = true;
          this.refused.value = error.message;
        },
      });
    };
    this.refused.value = undefined;
    if (server.isSaved) this.isSilent.value = true;
    this.start = start;
    if (this.record.peek() !== undefined) this.begin();
    void this.read();
    return () => {
      this.leave();
      clearTimeout(this.timer);
      clearTimeout(this.silence);
    };
  }

  /** The views have begun: they ask for what they need in a moment, each in its own. */
  begin(): void {
    const { start } = this;
    if (start === undefined) return;
    this.start = undefined;
    this.starting = setTimeout(start, MOMENT);
  }

  /** What was told before on a channel that was left out is told when all events come again. */
  private choose(channels: readonly string[]): void {
    const before = this.channels;
    this.channels = channels;
    if (before === undefined) return;
    if (channels.some((channel) => !before.includes(channel))) {
      this.told.anew();
      return;
    }
    // What is waited for may be of a channel that is left out now.
    if (channels.length < before.length) this.told.show();
    this.show();
  }

  /** Shows the model as far as it has been built. */
  private show(): void {
    const { model } = this.told;
    if (model.byId !== this.model.peek().byId) this.built.value += 1;
    this.model.value = model;
  }

  /** Follows the events no longer. */
  private leave(): void {
    this.start = undefined;
    clearTimeout(this.starting);
    this.stop();
    this.stop = () => {};
    setLink(this, undefined);
  }

  private take(events: ThreadEvent[]): void {
    if (!this.told.take(events)) return;
    this.show();
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
  const out = leftOut.value;
  useEffect(() => followed.follow(server, channelsWithout(out)), [followed, server, tries, out]);
  return followed;
}
