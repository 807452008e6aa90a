// Items of the store, and which of them are looked for.

import type { JsonObject } from "../../api/types.ts";
import { isBelow, type Namespace } from "./names.ts";

export interface Item {
  namespace: string[];
  key: string;
  value: JsonObject;
  created_at: string;
  updated_at: string;
}

export function idOf(item: Pick<Item, "namespace" | "key">): string {
  return JSON.stringify([item.namespace, item.key]);
}

const texts = new WeakMap<Item, string>();

function textOf(item: Item): string {
  let text = texts.get(item);
  if (text === undefined) {
    text = `${item.namespace.join("/")}\n${item.key}\n${JSON.stringify(item.value)}`.toLowerCase();
    texts.set(item, text);
  }
  return text;
}

/** Those of `items` that are in a namespace or below it, and that have a text in key, namespace or value. */
export function found(items: readonly Item[], namespace: Namespace, text: string | undefined): readonly Item[] {
  const wanted = text?.toLowerCase();
  const fits = (item: Item) => wanted === undefined || textOf(item).includes(wanted);
  return items.filter((item) => isBelow(item.namespace, namespace) && fits(item));
}

/** The namespace of an item as it is seen from the one that is shown. */
export function inside(item: Item, shown: Namespace): string {
  return item.namespace.slice(shown.length).join(" / ");
}

/** The address of an item on the wire. */
export function itemPath(namespace: Namespace, key: string): string {
  return `/store/items?${new URLSearchParams({ namespace: namespace.join("."), key })}`;
}

