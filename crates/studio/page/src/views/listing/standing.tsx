// How many of a list are shown, whether that is of now, and what could not be read.

import type { ComponentChildren, JSX } from "preact";
import { Problem, Time } from "../../parts/basics.tsx";
import { counted } from "../../parts/text.ts";
import type { Pages } from "./pages.ts";

export function Standing<T>({
  list,
  one,
  several,
  said,
  children,
}: {
  list: Pages<T>;
  /** What one of them is called, and several. */
  one: string;
  several?: string;
  /** Said in place of the count. */
  said?: string | undefined;
  children?: ComponentChildren;
}): JSX.Element {
  const shown = list.items.value?.length ?? 0;
  const total = list.total.value ?? (list.isWhole.value ? shown : undefined);
  const words = total === undefined ? `the first ${counted(shown, one, several)}` : counted(total, one, several);
  return (
    <div class="row standing">
      <span role="status" class="quiet">
        {list.items.value !== undefined && (said ?? words)}
      </span>
      {list.lost.value !== undefined && list.readAt.value !== undefined && (
        <span class="badge is-failed">
          <span>
            {list.lost.value} This is from <Time at={list.readAt.value} />.
          </span>
        </span>
      )}
      <span class="grow" />
      {children}
      <button type="button" onClick={() => list.refresh()}>
        Refresh
      </button>
    </div>
  );
}

/** Why a list is not there yet: it is refused, or the server is not reached, or it is being read. */
export function NotYet<T>({ list }: { list: Pages<T> }): JSX.Element {
  if (list.refused.value !== undefined) return <Problem>{list.refused.value}</Problem>;
  if (list.lost.value !== undefined) return <Problem>{list.lost.value} Trying again.</Problem>;
  return <p class="empty">Reading …</p>;
}

/** Why the rest of a list is not there. */
export function MoreFailed<T>({ list }: { list: Pages<T> }): JSX.Element | null {
  if (list.more.value === undefined) return null;
  return (
    <p class="problem" role="alert">
      The rest could not be read: {list.more.value}{" "}
      <button type="button" onClick={() => void list.loadMore()}>
        Try again
      </button>
    </p>
  );
}
