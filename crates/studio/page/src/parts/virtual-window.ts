// Which rows of a long list are in the page.

export interface Window {
  /** The first row that is there, and the one behind the last. */
  start: number;
  end: number;
}

/** Rows beyond the edges of what is seen, so that scrolling by a little shows no gap. */
const BEYOND = 8;

/** The rows to show of a list of `count` rows that is scrolled to `top`. */
export function windowOf(count: number, rowHeight: number, top: number, height: number): Window {
  const first = Math.floor(Math.max(0, top) / rowHeight);
  const seen = Math.ceil(Math.max(height, rowHeight) / rowHeight) + 1;
  const end = Math.min(count, first + seen + BEYOND);
  return { start: Math.max(0, Math.min(first, count - seen) - BEYOND), end };
}

/** Where to scroll so that a row is seen; nothing where it is. */
export function scrollFor(row: number, rowHeight: number, top: number, height: number): number | undefined {
  const [above, below] = [row * rowHeight, (row + 1) * rowHeight];
  if (above < top) return above;
  return below > top + height ? below - height : undefined;
}

/** The row that a key leads to; nothing for other keys. */
export function rowFor(key: string, at: number, count: number, page: number): number | undefined {
  const within = (row: number) => Math.max(0, Math.min(count - 1, row));
  switch (key) {
    case "ArrowDown":
      return within(at + 1);
    case "ArrowUp":
      return within(at < 0 ? 0 : at - 1);
    case "PageDown":
      return within(at + page);
    case "PageUp":
      return within(at - page);
    case "Home":
      return within(0);
    case "End":
      return within(count - 1);
  }
  return undefined;
}
