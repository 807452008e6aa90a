// The checkpoints of a thread or of a graph inside, newest first, page by page as they are needed.

import { signal } from "@preact/signals";
import { first } from "../../../api/first.ts";
import { type Api, isPassing, told } from "../../../api/http.ts";
import { type Checkpoint, read, reference, SELECT, type StateOnWire } from "./checkpoint.ts";

/** Checkpoints of the first page, and of a page at least; the next ones are longer or shorter as the server is fast. */
const FIRST = 50;
const MOST = 500;
/** Newest checkpoints that are read again when something happened. */
const NEWEST = 20;
/** A page that takes less is followed by a longer one, and one that takes more by a shorter one, in milliseconds. */
const SHORT = 600;
const LONG = 2500;
/** Events come in bursts: the list is read again this long after the first of them, in milliseconds. */
const SOON = 400;
/** When the server was not reached it is asked again this much later, in milliseconds. */
const AGAIN = 5000;

export class Checkpoints {
  readonly list = signal<readonly Checkpoint[]>([]);
  /** Whether the list goes back to the first one. */
  readonly isWhole = signal(false);
  readonly problem = signal<string | undefined>(undefined);
  readonly isLoading = signal(false);

  private size = FIRST;
  private readonly ended = new AbortController();
  /** Requests one after the other. */
  private last: Promise<void> = Promise.resolve();
  private isStale = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly api: Api,
    private readonly thread: string,
    private readonly ns: string,
  ) {}

  end(): void {
    clearTimeout(this.timer);
    this.ended.abort();
  }

  /** Something happened on the thread: what is new is read in a moment. */
  soon(wait = this.list.peek().length === 0 ? 0 : SOON): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.refresh();
    }, wait);
  }

  /** Reads the checkpoints before the oldest one that is known. */
  more(): Promise<void> {
    return this.next(async () => {
      if (this.isWhole.peek()) return;
      const began = performance.now();
      const size = this.size;
      const found = await this.page(size, this.list.peek().at(-1)?.id);
      const took = performance.now() - began;
      if (took > LONG) this.size = Math.max(FIRST, size >> 1);
      else if (took < SHORT) this.size = Math.min(MOST, size * 2);
      this.list.value = [...this.list.peek(), ...found];
      this.isWhole.value = found.length < size;
    });
  }

  /** Reads what is new, and again what was newest: its tasks may have ended meanwhile. */
  refresh(): Promise<void> {
    if (this.isStale) return this.last;
    this.isStale = true;
    return this.next(async () => {
      this.isStale = false;
      const known = this.list.peek();
      const newest = known[0];
      if (newest === undefined) {
        const found = await first(this.page(FIRST, undefined));
        this.list.value = found;
        this.isWhole.value = found.length < FIRST;
        return;
      }
      const fresh: Checkpoint[] = [];
      let isAll = false;
      do {
        const size = fresh.length === 0 ? NEWEST : MOST;
        const found = await this.page(size, fresh.at(-1)?.id);
        fresh.push(...found);
        isAll = found.length < size;
      } while (!isAll && (fresh.at(-1)?.id ?? "") > newest.id);
      const oldest = fresh.at(-1)?.id;
      // What is in the range and was not answered is no longer there: its run was rolled back.
      const rest = isAll || oldest === undefined ? [] : known.filter((checkpoint) => checkpoint.id < oldest);
      this.list.value = [...fresh, ...rest];
      if (isAll) this.isWhole.value = true;
    });
  }

  private next(what: () => Promise<void>): Promise<void> {
    this.last = this.last.then(async () => {
      if (this.ended.signal.aborted) return;
      this.isLoading.value = true;
      try {
        await what();
        this.problem.value = undefined;
      } catch (error) {
        if (this.ended.signal.aborted) return;
        this.problem.value = told(error);
        if (isPassing(error)) this.soon(AGAIN);
      }
      this.isLoading.value = false;
    });
    return this.last;
  }

  private async page(limit: number, before: string | undefined): Promise<Checkpoint[]> {
    const body = {
      limit,
      select: SELECT,
      ...(before === undefined ? {} : { before }),
      ...(this.ns === "" ? {} : { checkpoint: reference(this.ns, undefined) }),
    };
    const states = await this.api.post<StateOnWire[]>(`/threads/${this.thread}/history`, body, this.ended.signal);
    return states.map(read);
  }
}
