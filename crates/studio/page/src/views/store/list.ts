// What the server lists of the store: namespaces, and the items in one of them.

import type { Api } from "../../api/http.ts";
import type { JsonObject } from "../../api/types.ts";
import { Pages } from "../listing/pages.ts";
import { metadataOf } from "../runs/filter.ts";
import { idOf, type Item } from "./items.ts";
import { nameable, type Namespace, written } from "./names.ts";

/** More of them are not looked through. */
export const MOST = 10_000;

export function namespaceList(api: Api): Pages<string[]> {
  return new Pages(
    api,
    ["store"],
    async (limit, offset, signal) => {
      const { namespaces } = await api.post<{ namespaces: string[][] }>("/store/namespaces", { limit, offset }, signal);
      return { items: namespaces, total: undefined };
    },
    written,
  );
}

/** The items that are asked for, or what is wrong with the question. */
export type ItemList = { list: Pages<Item> } | { problem: string };

/** The items of a namespace and of those inside; `value` is `field=value`, several with blanks between. */
export function itemList(api: Api, namespace: Namespace, value: string | undefined): ItemList {
  const asked = metadataOf(value ?? "");
  if ("problem" in asked) return { problem: "Values are asked for as field=value, several with blanks between." };
  const body: JsonObject = { namespace_prefix: [...nameable(namespace)] };
  if (Object.keys(asked.fields).length > 0) body.filter = asked.fields;
  const list = new Pages<Item>(
    api,
    ["store"],
    async (limit, offset, signal) => {
      const { items } = await api.post<{ items: Item[] }>("/store/items/search", { ...body, limit, offset }, signal);
      return { items, total: undefined };
    },
    idOf,
  );
  return { list };
}
