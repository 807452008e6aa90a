// A list of the server that is read page by page, and is read again when it changes.

import { signal } from "@preact/signals";
import type { Kind } from "../../api/changes.ts";
import { type Api, type Page, told } from "../../api/http.ts";
import { watch, type Watching } from "../../api/watch.ts";
import { setLink } from "../../connection.ts";
import { together } from "./together.ts";

const PAGE = 200;
/** The server answers no more at once. */
const MOST = 1000;

export class Pages<T> {
  readonly items = signal<readonly T[] | undefined>(undefined);
  /** How many match, where the server says it. */
  readonly total = signal<number | undefined>(undefined);
  /** Whether nothing is behind the last item. */
  readonly isWhole = signal(false);
  /** Why the server refuses what is asked. */
  readonly refused = signal<string | undefined>(undefined);
  /** Why the items behind the last one could not be read. */
  readonly more = signal<string | undefined>(undefined);
  /** When what is shown was read, and why it is not read now. */
  readonly readAt = signal<number | undefined>(undefined);
  readonly lost = signal<string | undefined>(undefined);

  private loading: AbortController | undefined;
  private watching: Watching | undefined;

  constructor(
    private readonly api: Api,
    /** The kinds of records whose changes change the list. */
    private readonly of: readonly Kind[],
    private readonly read: (limit: number, offset: number, signal: AbortSignal) => Promise<Page<T>>,
    private readonly idOf: (item: T) => string,
  ) {}

  start(): () => void {
    this.watching = watch(this.api, {
      of: this.of,
      read: (signal) => this.readKnown(signal),
      onLink: (link) => {
        setLink(this, link);
        this.lost.value = link?.state === "lost" ? link.reason : undefined;
      },
      onRefused: (error) => {
        this.refused.value = told(error);
      },
    });
    return () => {
      this.watching?.stop();
      this.loading?.abort();
      this.loading = undefined;
      setLink(this, undefined);
    };
  }

  refresh(): void {
    this.loading?.abort();
    this.loading = undefined;
    this.watching?.now();
  }

  /** Reads as much as is known, from the beginning. */
  private async readKnown(signal: AbortSignal): Promise<void> {
    const wanted = Math.max(PAGE, this.items.peek()?.length ?? 0);
    let items: readonly T[] = [];
    for (let offset = 0; offset < wanted; offset += MOST) {
      const limit = Math.min(MOST, wanted - offset);
      const page = await this.read(limit, offset, signal);
      items = together(items, page.items, this.idOf);
      this.total.value = page.total;
      this.isWhole.value = page.items.length < limit;
      if (this.isWhole.peek()) break;
    }
    this.items.value = items;
    this.refused.value = undefined;
    this.more.value = undefined;
    this.readAt.value = Date.now();
  }

  /** Reads the page behind the last item that is there. */
  async loadMore(limit = PAGE): Promise<void> {
    const known = this.items.peek();
    if (known === undefined || this.isWhole.peek() || this.loading !== undefined) return;
    const loading = new AbortController();
    this.loading = loading;
    this.more.value = undefined;
    try {
      const page = await this.read(limit, known.length, loading.signal);
      if (loading.signal.aborted) return;
      this.isWhole.value = page.items.length < limit;
      this.items.value = together(this.items.peek() ?? [], page.items, this.idOf);
      if (page.total !== undefined) this.total.value = page.total;
    } catch (error) {
      if (!loading.signal.aborted) this.more.value = told(error);
    } finally {
      if (this.loading === loading) this.loading = undefined;
    }
  }

  /** Reads on until nothing is left, or until so many are known. */
  async loadAll(most: number): Promise<void> {
    while (!this.isWhole.peek() && this.loading === undefined) {
      const known = this.items.peek()?.length;
      if (known === undefined || known >= most) return;
      await this.loadMore(MOST);
      if (this.items.peek()?.length === known) return;
    }
  }
}
