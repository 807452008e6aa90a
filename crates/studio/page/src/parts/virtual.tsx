// A list of any length: only the rows that are seen are in the page. Each row is of the same height.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { rowFor, scrollFor, windowOf } from "./virtual-window.ts";

export interface Column {
  name: string;
  /** A class of the heading and, by their place, of the cells. */
  class: string;
}

/** The roles of the whole and of a row. */
const ROLES = {
  table: ["grid", "row"],
  list: ["list", "listitem"],
  choices: ["listbox", "option"],
} as const;

/**
 * Shows the rows of `items` that are seen. With `columns` it is a table, and `render` gives cells of the role
 * `gridcell`; else it is a list. With `onOpen` the arrow keys go from row to row, and Enter or a click opens one.
 */
export function VirtualList<T>({
  items,
  rowHeight,
  render,
  label,
  columns,
  total,
  isOpen,
  keyOf,
  onOpen,
  onDelete,
  onNearEnd,
}: {
  items: readonly T[];
  rowHeight: number;
  render: (item: T, index: number) => JSX.Element;
  label: string;
  columns?: Column[];
  /** How long the whole list is, where it is longer than `items`. */
  total?: number | undefined;
  /** Whether a row is the one that is shown elsewhere. */
  isOpen?: (item: T) => boolean;
  keyOf?: (item: T) => string;
  onOpen?: (item: T, index: number) => void;
  /** The key Delete, at a row. */
  onDelete?: (item: T) => void;
  /** The end of `items` comes into view. */
  onNearEnd?: () => void;
}): JSX.Element {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  // The row that the keys are at, by its item: rows that come before it do not move it.
  const [active, setActive] = useState<string | number>();
  const keyAt = (index: number): string | number => {
    const item = items[index];
    return item !== undefined && keyOf !== undefined ? keyOf(item) : index;
  };
  const place = () => (keyOf === undefined ? Number(active) : items.findIndex((item) => keyOf(item) === active));
  const at = active === undefined ? -1 : place();
  const { start, end } = windowOf(items.length, rowHeight, top, height);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setHeight(element.clientHeight - (head.current?.offsetHeight ?? 0));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const isNearEnd = end >= items.length;
  useEffect(() => {
    if (isNearEnd) onNearEnd?.();
  }, [isNearEnd, items.length]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
    const item = items[at];
    if (item !== undefined && event.key === "Enter") return onOpen?.(item, at);
    if (item !== undefined && event.key === "Delete") return onDelete?.(item);
    const to = onOpen === undefined ? undefined : rowFor(event.key, at, items.length, Math.floor(height / rowHeight));
    if (to === undefined || to < 0 || box.current === null) return;
    event.preventDefault();
    setActive(keyAt(to));
    const scroll = scrollFor(to, rowHeight, box.current.scrollTop, height);
    if (scroll !== undefined) box.current.scrollTop = scroll;
  };
  const onClick = (event: MouseEvent, item: T, index: number) => {
    // A link or a button in the row does its own, and whoever marks text opens nothing.
    if ((event.target as Element).closest("a, button") !== null || getSelection()?.isCollapsed === false) return;
    setActive(keyAt(index));
    onOpen?.(item, index);
  };

  const isTable = columns !== undefined;
  const [whole, each] = ROLES[isTable ? "table" : onOpen === undefined ? "list" : "choices"];
  const length = total === undefined ? items.length : Math.max(total, items.length);
  const numbered = (index: number) =>
    isTable ? { "aria-rowindex": index + 2 } : { "aria-posinset": index + 1, "aria-setsize": length };
  const rows: ComponentChildren[] = [];
  for (let index = start; index < end; index += 1) {
    const item = items[index];
    if (item === undefined) continue;
    const isChosen = isOpen?.(item) ?? false;
    rows.push(
      <div
        key={keyAt(index)}
        id={`${id}-${index}`}
        role={each}
        {...numbered(index)}
        aria-selected={onOpen === undefined ? undefined : isOpen === undefined ? index === at : isChosen}
        class={`virtual-row${index === at ? " is-active" : ""}${isChosen ? " is-open" : ""}${onOpen ? " opens" : ""}`}
        style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
        onClick={onOpen === undefined ? undefined : (event) => onClick(event, item, index)}
      >
        {render(item, index)}
      </div>,
    );
  }
  return (
    <div
      ref={box}
      class="virtual"
      role={whole}
      aria-label={label}
      aria-rowcount={isTable ? length + 1 : undefined}
      aria-activedescendant={onOpen !== undefined && at >= start && at < end ? `${id}-${at}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        if (event.target !== event.currentTarget || at >= 0 || onOpen === undefined || items.length === 0) return;
        setActive(keyAt(Math.min(Math.ceil(top / rowHeight), items.length - 1)));
      }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      {columns !== undefined && (
        <div ref={head} class="virtual-head" role="rowgroup">
          <div class="virtual-columns" role="row" aria-rowindex={1}>
            {columns.map((column) => (
              <div key={column.class} role="columnheader" class={column.class}>
                {column.name}
              </div>
            ))}
          </div>
        </div>
      )}
      <div
        role={isTable ? "rowgroup" : "presentation"}
        class="virtual-rows"
        style={{ height: `${items.length * rowHeight}px` }}
      >
        {rows}
      </div>
    </div>
  );
}
