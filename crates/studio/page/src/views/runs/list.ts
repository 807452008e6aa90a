// The runs that are shown, and how they are kept up to date.

import { signal } from "@preact/signals";
import { type Api, type ApiError, type Page, told } from "../../api/http.ts";
import type { Thread } from "../../api/types.ts";
import { watch, type Watching } from "../../api/watch.ts";
import { setLink } from "../../connection.ts";
import { type Filter, searchOf } from "./filter.ts";
import { type ListedRun, withFirstPage, withPage } from "./merge.ts";

const PAGE = 100;

export class RunList {
  readonly runs = signal<readonly ListedRun[] | undefined>(undefined);
  /** How many match, where the server says it. */
  readonly total = signal<number | undefined>(undefined);
  /** Threads that wait for an answer, or at a breakpoint. */
  readonly waiting = signal<ReadonlySet<string>>(new Set());
  /** Why the server refuses what is asked. */
  readonly refused = signal<string | undefined>(undefined);
  /** Why the runs behind the last one could not be read. */
  readonly more = signal<string | undefined>(undefined);
  /** When what is shown was read, and why it is not read now. */
  readonly readAt = signal<number | undefined>(undefined);
  readonly lost = signal<string | undefined>(undefined);

  private isWhole = false;
  private loading: AbortController | undefined;
  private watching: Watching | undefined;

  constructor(
    private readonly api: Api,
    private readonly filter: Filter,
  ) {}

  start(): () => void {
    const asked = searchOf(this.filter, PAGE, 0);
    if ("problem" in asked) {
      this.refused.value = asked.problem;
      return () => undefined;
    }
    this.watching = watch(this.api, {
      of: ["runs", "threads"],
      read: async (signal) => {
        const [page, waiting] = await Promise.all([this.search(0, signal), this.findWaiting(signal)]);
        this.isWhole = page.items.length < PAGE;
        const runs = withFirstPage(this.runs.peek() ?? [], page.items, this.isWhole);
        this.runs.value = runs;
        this.total.value = page.total;
        this.waiting.value = waiting;
        this.readAt.value = Date.now();
        this.refused.value = undefined;
      },
      onLink: (link) => {
        this.lost.value = link?.state === "lost" ? link.reason : undefined;
        setLink(this, link);
      },
      onRefused: (error: ApiError) => {
        this.refused.value = error.message;
      },
    });
    return () => {
      this.watching?.stop();
      this.loading?.abort();
      setLink(this, undefined);
    };
  }

  refresh(): void {
    this.watching?.now();
  }

  /** Reads the page behind the last run that is there. */
  async loadMore(): Promise<void> {
    const known = this.runs.peek();
    if (known === undefined || this.isWhole || this.loading !== undefined) return;
    const loading = new AbortController();
    this.loading = loading;
    this.more.value = undefined;
    try {
      const page = await this.search(known.length, loading.signal);
      this.isWhole = page.items.length < PAGE;
      this.runs.value = withPage(this.runs.peek() ?? [], page.items);
      if (page.total !== undefined) this.total.value = page.total;
    } catch (error) {
      if (!loading.signal.aborted) this.more.value = told(error);
    } finally {
      this.loading = undefined;
    }
  }

  /** Takes the runs of a thread away that was deleted. */
  forget(thread: string): void {
    const known = this.runs.peek() ?? [];
    const kept = known.filter((run) => run.thread_id !== thread);
    if (this.total.peek() !== undefined) this.total.value = (this.total.peek() ?? 0) - (known.length - kept.length);
    this.runs.value = kept;
    this.refresh();
  }

  private search(offset: number, signal: AbortSignal): Promise<Page<ListedRun>> {
    const asked = searchOf(this.filter, PAGE, offset);
    return this.api.search<ListedRun>("/runs/search", "body" in asked ? asked.body : {}, signal);
  }

  /** A run that stops with a question has ended as any other: its thread says that it waits. */
  private async findWaiting(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const body = { status: "interrupted", select: ["thread_id"], limit: 1000 };
    const threads = await this.api.post<Pick<Thread, "thread_id">[]>("/threads/search", body, signal);
    return new Set(threads.map((thread) => thread.thread_id));
  }
}
