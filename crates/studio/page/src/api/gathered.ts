// What comes one by one and is given out in batches: the first ones at once, further ones after a while.

/** At least this long is gathered between two batches, in milliseconds. */
const GATHER = 50;
/** What takes long to show is given out less often: so many times as long as it took is gathered. */
const SHARE = 3;

export class Gathered<T> {
  private some: T[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isShown = true;
  /** When the next batch may be given out. */
  private next = 0;

  constructor(private readonly onBatch: (some: T[]) => void) {}

  add(one: T): void {
    this.some.push(one);
  }

  /** Gives out what was added, now or after a while. */
  soon(): void {
    if (this.some.length === 0 || this.timer !== undefined || !this.isShown) return;
    const wait = this.next - performance.now();
    if (wait <= 0) this.now();
    else this.timer = setTimeout(() => this.now(), wait);
  }

  /** Gives out what was added. */
  now(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const some = this.some;
    if (some.length === 0) return;
    this.some = [];
    this.isShown = false;
    const began = performance.now();
    this.onBatch(some);
    // Views draw what changed when the code has ended that told them.
    setTimeout(() => {
      const end = performance.now();
      this.isShown = true;
      this.next = end + Math.max(GATHER, SHARE * (end - began));
      this.soon();
    });
  }
}
