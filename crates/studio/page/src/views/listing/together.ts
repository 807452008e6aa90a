// Pages of a list as one list.

/** The list with a page behind it. What came in between may have moved the page: what is there twice stays once. */
export function together<T>(known: readonly T[], page: readonly T[], idOf: (item: T) => string): readonly T[] {
  const there = new Set(known.map(idOf));
  return [...known, ...page.filter((item) => !there.has(idOf(item)))];
}
