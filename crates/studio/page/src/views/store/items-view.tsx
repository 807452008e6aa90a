// The items of a namespace, and of those inside.

import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { Empty, Problem, Time } from "../../parts/basics.tsx";
import { count, counted, short, visible } from "../../parts/text.ts";
import { VirtualList } from "../../parts/virtual.tsx";
import { choose, route } from "../../route.ts";
import type { Pages } from "../listing/pages.ts";
import { MoreFailed, NotYet, Standing } from "../listing/standing.tsx";
import { Typed } from "../listing/typed.tsx";
import { found, idOf, inside, type Item } from "./items.ts";
import { type ItemList, MOST } from "./list.ts";
import { isNameable, type Namespace, readKey, readNamespace, writtenKey, written } from "./names.ts";

export function Items({
  items,
  shown,
  value,
}: {
  items: ItemList;
  shown: Namespace;
  value: string | undefined;
}): JSX.Element {
  const text = route.value.query.get("q") || undefined;
  return (
    <section class="store-items" aria-label="Items">
      <search class="filters">
        <label>
          <span>Search</span>
          <Typed value={text} placeholder="key or text" onTyped={(q) => choose({ q }, true)} />
        </label>
        <label>
          <span>Value</span>
          <Typed value={value} placeholder="field=value" onTyped={(value) => choose({ value }, true)} />
        </label>
      </search>
      {shown.length > 0 && (
        <p class="store-path">
          {shown.map((label, at) => (
            <span key={at}>
              {at > 0 && <span class="quiet"> / </span>}
              {visible(short(label, 200))}
            </span>
          ))}
        </p>
      )}
      {"problem" in items ? <Problem>{items.problem}</Problem> : <List list={items.list} shown={shown} text={text} />}
    </section>
  );
}

function List({ list, shown, text }: { list: Pages<Item>; shown: Namespace; text: string | undefined }): JSX.Element {
  const items = list.items.value;
  const isWhole = list.isWhole.value;
  // The server has no search for texts, and cannot name every namespace: then all items are looked through here.
  const looksThrough = text !== undefined || !isNameable(shown);
  useEffect(() => {
    if (looksThrough && items !== undefined) void list.loadAll(MOST);
  }, [list, looksThrough, items]);
  const rows = useMemo(() => found(items ?? [], shown, text), [items, shown, text]);
  if (list.refused.value !== undefined || items === undefined) return <NotYet list={list} />;
  const isCut = looksThrough && !isWhole && items.length >= MOST;
  const looked = `${count(rows.length)} of ${isWhole ? "" : "the first "}${counted(items.length, "item")}`;
  const { query } = route.value;
  const open = readKey(query.get("item"));
  const at = query.get("at");
  const openIn = at === null ? [...shown] : readNamespace(at);
  const openId = open === undefined ? undefined : idOf({ namespace: openIn, key: open });
  const isFiltered = text !== undefined || !!query.get("value");
  const isLooking = looksThrough && !isWhole && !isCut;
  return (
    <>
      <Standing list={list} one="item" said={looksThrough ? looked : undefined} />
      {!isNameable(shown) && (
        <p class="notice">
          A label with a dot has no name in the server's API: items of it are found by way of the namespace around it,
          and cannot be put or deleted from here.
        </p>
      )}
      {isCut && (
        <p class="notice">There are more items than can be looked through. Choose a namespace, or ask for a value.</p>
      )}
      {rows.length === 0 ? (
        <Empty>
          {isLooking ? "Looking …" : isFiltered ? "No item is like this." : "No item is kept here."}
        </Empty>
      ) : (
        <VirtualList<Item>
          label="Items: the arrow keys go from one to the next, Enter opens one"
          items={rows}
          rowHeight={66}
          keyOf={idOf}
          isOpen={(item) => idOf(item) === openId}
          onOpen={(item) => {
            choose({ item: writtenKey(item.key), at: written(item.namespace), new: undefined, change: undefined });
          }}
          onNearEnd={() => {
            if (!looksThrough) void list.loadMore();
          }}
          render={(item) => <Row item={item} shown={shown} />}
        />
      )}
      <MoreFailed list={list} />
    </>
  );
}

function Row({ item, shown }: { item: Item; shown: Namespace }): JSX.Element {
  const below = inside(item, shown);
  return (
    <div class="item-row">
      <div class="item-first">
        <strong>{item.key === "" ? <span class="quiet">an empty key</span> : visible(short(item.key, 200))}</strong>
        <span class="quiet item-time">
          <Time at={item.updated_at} />
        </span>
      </div>
      <div class="item-more quiet">
        {below !== "" && <span>{visible(short(below, 100))} · </span>}
        <span class="mono">{visible(short(JSON.stringify(item.value), 300))}</span>
      </div>
    </div>
  );
}
