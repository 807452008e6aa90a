// Where the page's server is, the key for it, and whether it is reached. The key is forgotten when the browser's tab is closed.

import { computed, signal } from "@preact/signals";
import type { ChangesLink } from "./api/changes.ts";
import { Api } from "./api/http.ts";
import { reads } from "./api/reads.ts";
import type { ArchiveApi } from "./archive/api.ts";
import { route } from "./route.ts";

const KEY = "graphloom.key";
const LOOK_ONLY = "graphloom.look-only";

/** The page is at `…/studio/`, and the server above it; while it is written, `?server=` names the server. */
export function serverOf(location: Location): string {
  const named = new URLSearchParams(location.search).get("server");
  if (named !== null) return named.replace(/\/+$/, "");
  return location.origin + location.pathname.replace(/\/studio(\/.*)?$/, "").replace(/\/+$/, "");
}

const key = signal<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);

/** Whether a person wants to look only, in this tab. */
export const lookOnly = signal(sessionStorage.getItem(LOOK_ONLY) === "1");

export function setLookOnly(to: boolean): void {
  if (to) sessionStorage.setItem(LOOK_ONLY, "1");
  else sessionStorage.removeItem(LOOK_ONLY);
  lookOnly.value = to;
}

/** What a request that changes something is told while a person looks only. */
function refuses(method: string, path: string): string | undefined {
  return lookOnly.peek() && !reads(method, path) ? "“Look only” is on: nothing is changed." : undefined;
}

const server = computed(() => new Api(serverOf(location), key.value, refuses));

/** The saved export that is open. */
export const archive = signal<ArchiveApi | undefined>(undefined);

const isFile = computed(() => route.value.path[0] === "file");

/** What is asked: the saved export in its own views, and else the server, with the key that is set. */
export const api = computed((): Api => (isFile.value ? archive.value : undefined) ?? server.value);

/** Why nothing can be changed, where that is so. */
export const whyReadOnly = computed(() => {
  if (api.value.isSaved) return "This is a saved export: nothing can be changed in it.";
  return lookOnly.value ? "“Look only” is on: nothing can be changed." : undefined;
});

/** Whether no control that changes something is shown. */
export const readOnly = computed(() => whyReadOnly.value !== undefined);

/** Sets the key for this tab, or forgets it. */
export function setKey(to: string | undefined): void {
  if (to === undefined || to === "") sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, to);
  key.value = to === "" ? undefined : to;
}

export const hasKey = computed(() => key.value !== undefined);

const links = signal<ReadonlyMap<object, ChangesLink>>(new Map());

/** Says how the stream of a part of the view stands; with `undefined` the part has gone. */
export function setLink(of: object, link: ChangesLink | undefined): void {
  const known = new Map(links.peek());
  if (link === undefined) known.delete(of);
  else known.set(of, link);
  links.value = known;
}

const WORST = ["lost", "untold", "connecting", "live"];

/** How the streams of the view stand: the worst of them; `undefined` where the view has none. */
export const streamLink = computed((): ChangesLink | undefined => {
  const all = [...links.value.values()];
  return all.sort((one, other) => WORST.indexOf(one.state) - WORST.indexOf(other.state))[0];
});
