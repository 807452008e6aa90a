// What is open in the panel beside a report, in the address: `c3` a citation, `i1` a conclusion, `s2` a statement
// without a citation, `t0` a cited statement, `r1` a source.

import { choose, link, route } from "../../../route.ts";

export function opened(): string | undefined {
  return route.value.query.get("source") ?? undefined;
}

/** The address of the view with this open. */
export function addressOf(key: string): string {
  const { path, query } = route.value;
  return link(path, { ...Object.fromEntries(query), source: key });
}

/** Opens something; the focus goes to the panel, and back to what opened it when that is closed. */
export function open(key: string): void {
  if (opened() === key) document.getElementById("source-title")?.focus();
  else choose({ source: key }, opened() !== undefined);
}

export function close(): void {
  const key = opened();
  choose({ source: undefined }, true);
  if (key === undefined) return;
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-source="${CSS.escape(key)}"]`)?.focus());
}
