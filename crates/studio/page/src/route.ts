// What is shown, as the part of the address behind `#`: every view is a link.

import { signal } from "@preact/signals";

export interface Route {
  /** The segments of the path: `["threads", ID]`. */
  path: string[];
  /** What is chosen in the view: a tab, a checkpoint, a task, filters. */
  query: URLSearchParams;
}

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const segments = path.split("/").filter((segment) => segment !== "");
  return { path: segments.map(decoded), query: new URLSearchParams(query) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The link to a view. What is `undefined` or empty in the query is left out. */
export function link(path: string[], query: Record<string, string | undefined> = {}): string {
  const chosen = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const text = new URLSearchParams(chosen).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** What is shown now. */
export const route = signal<Route>(parse(location.hash));

addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

/** Shows another view; the browser's way back leads to this one. */
export function go(to: string): void {
  location.hash = to;
}

/** Changes what is chosen in this view; `undefined` takes a choice away. With `replace`, the way back does not lead here. */
export function choose(change: Record<string, string | undefined>, replace = false): void {
  const { path, query } = route.value;
  const to = link(path, { ...Object.fromEntries(query), ...change });
  if (replace) {
    history.replaceState(null, "", to);
    route.value = parse(to);
  } else {
    go(to);
  }
}
