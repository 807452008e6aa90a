// The namespaces of the store as a tree. Only the rows that are seen are in the page.

import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { short, visible } from "../../parts/text.ts";
import { rowFor, scrollFor, windowOf } from "../../parts/virtual-window.ts";
import { choose } from "../../route.ts";
import type { Pages } from "../listing/pages.ts";
import { MoreFailed, NotYet, Standing } from "../listing/standing.tsx";
import { MOST } from "./list.ts";
import { type Namespace, written } from "./names.ts";
import { around, NamespaceTree, type TreeRow } from "./tree.ts";

const HEIGHT = 34;
/** Rows that are deeper are moved in no further. */
const DEEPEST = 9;

export function Namespaces({ list, shown }: { list: Pages<string[]>; shown: Namespace }): JSX.Element {
  const namespaces = list.items.value;
  useEffect(() => {
    if (namespaces !== undefined) void list.loadAll(MOST);
  }, [list, namespaces]);
  const isThere = namespaces !== undefined && list.refused.value === undefined;
  const isCut = namespaces !== undefined && !list.isWhole.value && namespaces.length >= MOST;
  return (
    <section class="store-namespaces" aria-label="Namespaces">
      <Standing list={list} one="namespace" said={isCut ? `the first ${namespaces.length} namespaces` : undefined} />
      {isThere ? <Tree list={list} shown={shown} /> : <NotYet list={list} />}
      <MoreFailed list={list} />
    </section>
  );
}

function show(namespace: Namespace): void {
  choose({ ns: written(namespace), item: undefined, at: undefined, new: undefined, change: undefined });
}

function Tree({ list, shown }: { list: Pages<string[]>; shown: Namespace }): JSX.Element {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const chosen = written(shown);
  const open = useSignal<ReadonlySet<string>>(new Set(around(shown)));
  const tree = useComputed(() => new NamespaceTree(list.items.value ?? []));
  const rows = useComputed(() => {
    const all: TreeRow = { id: "", label: "All namespaces", path: [], level: 1, position: 1, beside: 1, isOpen: true };
    return [all, ...tree.value.rows(open.value).map((row) => ({ ...row, level: row.level + 1 }))];
  }).value;
  const [active, setActive] = useState(chosen);
  const at = Math.max(0, rows.findIndex((row) => row.id === active));
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setHeight(element.clientHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // What the address names is seen, as soon as it has a row.
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    const hidden = around(shown).filter((one) => !open.peek().has(one));
    if (hidden.length > 0) open.value = new Set([...open.peek(), ...hidden]);
    setActive(chosen);
    wanted.current = chosen;
  }, [chosen]);
  useLayoutEffect(() => {
    const row = wanted.current === undefined ? -1 : rows.findIndex((one) => one.id === wanted.current);
    if (row < 0 || box.current === null) return;
    wanted.current = undefined;
    const scroll = scrollFor(row, HEIGHT, box.current.scrollTop, box.current.clientHeight);
    if (scroll !== undefined) box.current.scrollTop = scroll;
  });
  const turn = (row: TreeRow, isOpen: boolean) => {
    const next = new Set(open.peek());
    if (isOpen) next.add(row.id);
    else next.delete(row.id);
    open.value = next;
  };
  const to = (row: number) => {
    const target = rows[row];
    if (target === undefined || box.current === null) return;
    setActive(target.id);
    const scroll = scrollFor(row, HEIGHT, box.current.scrollTop, height);
    if (scroll !== undefined) box.current.scrollTop = scroll;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = rows[at];
    if (row === undefined) return;
    const isRoot = row.path.length === 0;
    const outer = written(row.path.slice(0, -1));
    if (event.key === "Enter" || event.key === " ") show(row.path);
    else if (event.key === "ArrowRight" && row.isOpen === false) turn(row, true);
    else if (event.key === "ArrowRight" && row.isOpen === true) to(at + 1);
    else if (event.key === "ArrowLeft" && row.isOpen === true && !isRoot) turn(row, false);
    else if (event.key === "ArrowLeft" && !isRoot) to(rows.findIndex((one) => one.id === outer));
    else {
      const next = rowFor(event.key, at, rows.length, Math.floor(height / HEIGHT));
      if (next === undefined) return;
      to(next);
    }
    event.preventDefault();
  };
  const { start, end } = windowOf(rows.length, HEIGHT, top, height);
  return (
    <div
      ref={box}
      class="virtual"
      role="tree"
      aria-label="Namespaces: the arrow keys go through them, Enter shows the items of one"
      tabIndex={0}
      aria-activedescendant={at >= start && at < end ? `${id}-${at}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div role="presentation" class="virtual-rows" style={{ height: `${rows.length * HEIGHT}px` }}>
        {rows.slice(start, end).map((row, index) => (
          <div
            key={row.id}
            id={`${id}-${start + index}`}
            role="treeitem"
            aria-level={row.level}
            aria-posinset={row.position}
            aria-setsize={row.beside}
            aria-expanded={row.isOpen}
            aria-selected={row.id === chosen}
            class={classOf(start + index === at, row.id === chosen)}
            style={{
              top: `${(start + index) * HEIGHT}px`,
              height: `${HEIGHT}px`,
              paddingLeft: `${(Math.min(row.level, DEEPEST) - 1) * 0.9 + 0.4}rem`,
            }}
            onClick={() => show(row.path)}
          >
            <span
              class="namespace-mark"
              aria-hidden="true"
              onClick={(event) => {
                if (row.isOpen === undefined || row.path.length === 0) return;
                event.stopPropagation();
                turn(row, !row.isOpen);
              }}
            >
              {row.isOpen === undefined ? "" : row.isOpen ? "▾" : "▸"}
            </span>
            <span class="namespace-label" title={visible(row.path.join(" / "))}>
              {row.path.length === 0 ? row.label : visible(short(row.label, 200))}
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

function classOf(isActive: boolean, isOpen: boolean): string {
  return `virtual-row opens namespace-row${isActive ? " is-active" : ""}${isOpen ? " is-open" : ""}`;
}
