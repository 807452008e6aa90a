// The long-term store: namespaces, the items in them, and one item.

import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { api, readOnly } from "../connection.ts";
import { choose, go, link, route } from "../route.ts";
import { ItemForm } from "./store/form.tsx";
import { OneItem } from "./store/item.tsx";
import type { Item } from "./store/items.ts";
import { Items } from "./store/items-view.tsx";
import { itemList, namespaceList } from "./store/list.ts";
import { type Namespace, readKey, readNamespace, written, writtenKey } from "./store/names.ts";
import { Namespaces } from "./store/namespaces.tsx";

export function Store(): JSX.Element {
  return <Panes key={JSON.stringify([api.value.base, api.value.key])} />;
}

/** The address of an item that is shown beside a namespace. */
function itemLink(shown: Namespace, item: Pick<Item, "namespace" | "key">): string {
  return link(["store"], { ns: written(shown), at: written(item.namespace), item: writtenKey(item.key) });
}

function Panes(): JSX.Element {
  const { query } = route.value;
  const ns = query.get("ns") ?? "";
  const shown = useMemo(() => readNamespace(ns), [ns]);
  const namespaces = useMemo(() => namespaceList(api.value), []);
  useEffect(() => namespaces.start(), [namespaces]);
  const value = query.get("value") || undefined;
  // A filter of values is asked of the server, and makes another list; so does another namespace.
  const items = useMemo(() => itemList(api.value, shown, value), [shown, value]);
  useEffect(() => ("problem" in items ? undefined : items.list.start()), [items]);
  const key = readKey(query.get("item"));
  const at = query.get("at");
  const isNew = (query.get("new") ?? "") !== "" && !readOnly.value;
  const refresh = () => {
    namespaces.refresh();
    if (!("problem" in items)) items.list.refresh();
  };
  const close = () => choose({ item: undefined, at: undefined, new: undefined, change: undefined });
  const hasOpen = isNew || key !== undefined;
  return (
    <div class="fills store">
      <div class="row apart">
        <h1>Store</h1>
        {!readOnly.value && <a href={link(["store"], { ns, new: "yes" })}>Put an item</a>}
      </div>
      <p class="quiet store-words">What graphs keep beyond their threads. The server's own records are not in it.</p>
      <div class={hasOpen ? "store-panes has-open" : "store-panes"}>
        <Namespaces list={namespaces} shown={shown} />
        <Items items={items} shown={shown} value={value} />
        {hasOpen && (
          <section class="store-open" aria-label={isNew ? "A new item" : "The item"}>
            <p>
              <button type="button" onClick={close}>
                Close
              </button>
            </p>
            {isNew ? (
              <ItemForm
                key="new"
                namespace={shown}
                onDone={(item) => {
                  refresh();
                  go(itemLink(shown, item));
                }}
                onCancel={close}
              />
            ) : (
              key !== undefined && (
                <OneItem
                  key={`${at ?? ns} ${key}`}
                  namespace={at === null ? shown : readNamespace(at)}
                  itemKey={key}
                  listed={"problem" in items ? undefined : items.list}
                  onChange={refresh}
                  onDeleted={() => {
                    refresh();
                    close();
                  }}
                />
              )
            )}
          </section>
        )}
      </div>
    </div>
  );
}
