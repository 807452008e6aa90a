// The history of a thread as a tree of its checkpoints, with the state of the one that is chosen beside it.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Empty, Problem } from "../../parts/basics.tsx";
import { counted, visible } from "../../parts/text.ts";
import { VirtualList } from "../../parts/virtual.tsx";
import { choose, route } from "../../route.ts";
import type { RunModel } from "../../run/model.ts";
import { Chosen } from "./history/chosen.tsx";
import { Compared } from "./history/compared.tsx";
import { lanes, width } from "./history/lanes.ts";
import { HistoryRow, type Row, ROW_HEIGHT } from "./history/row.tsx";
import { titleOf } from "./state.tsx";
import { byId, type Checkpoint } from "./state/checkpoint.ts";
import { standing, useCheckpoints, useReach } from "./state/use-checkpoints.ts";

export function HistoryView({ thread, model }: { thread: string; model: RunModel }): JSX.Element {
  const { query } = route.value;
  const checkpoints = useCheckpoints(thread, "", model);
  const list = checkpoints.list.value;
  const [isPicking, pick] = useState(false);
  const known = useMemo(() => byId(list), [list]);
  const drawn = useMemo(() => lanes(list), [list]);
  const wide = useMemo(() => width(drawn), [drawn]);
  const a = query.get("checkpoint") ?? list[0]?.id;
  const b = query.get("with") ?? undefined;
  const rows = useMemo(
    () =>
      list.map((checkpoint, at): Row => {
        const mark = b === undefined ? undefined : checkpoint.id === a ? "A" : checkpoint.id === b ? "B" : undefined;
        const parent = known.get(checkpoint.parent ?? "");
        return { checkpoint, parent, lanes: drawn[at] ?? NOTHING, mark, isNewest: at === 0 };
      }),
    [list, known, drawn, a, b],
  );
  const problem = checkpoints.problem.value;
  const isBefore = useReach(checkpoints, a);
  const chosen = a === undefined ? undefined : known.get(a);
  const title = (id: string) => {
    const checkpoint = known.get(id);
    return checkpoint === undefined ? "An earlier checkpoint" : titleOf(checkpoint, known);
  };
  const open = (id: string) => {
    if (isPicking && id !== a) choose({ checkpoint: a, with: id });
    else choose({ checkpoint: id, with: undefined });
    pick(false);
  };
  if (list.length === 0) {
    if (problem !== undefined) return <Problem>The history could not be read: {visible(problem)}</Problem>;
    if (checkpoints.isLoading.value || !checkpoints.isWhole.value) return <Empty>The history is being read …</Empty>;
    return <Empty>Nothing has run on this thread, so it has no history.</Empty>;
  }
  return (
    <div class="history">
      <div class="history-list">
        {problem !== undefined && <Problem>The history could not be read: {visible(problem)}</Problem>}
        <VirtualList
          items={rows}
          rowHeight={ROW_HEIGHT}
          label="Checkpoints, newest first"
          keyOf={(row) => row.checkpoint.id}
          isOpen={(row) => row.checkpoint.id === a || row.checkpoint.id === b}
          onOpen={(row) => open(row.checkpoint.id)}
          onNearEnd={() => void checkpoints.more()}
          render={(row) => <HistoryRow thread={thread} row={row} lanes={wide} />}
        />
        <p class="quiet" role="status">
          {checkpoints.isWhole.value
            ? counted(list.length, "checkpoint")
            : `${counted(list.length, "checkpoint")} so far; earlier ones are read as you scroll`}
        </p>
      </div>
      <div class="history-beside">
        {a !== undefined && b !== undefined ? (
          <Compared
            thread={thread}
            a={a}
            b={b}
            titles={[title(a), title(b)]}
            onSwap={() => choose({ checkpoint: b, with: a })}
            onEnd={() => choose({ with: undefined })}
          />
        ) : chosen === undefined ? (
          <Missing id={a} isBefore={isBefore} />
        ) : (
          <Chosen
            thread={thread}
            checkpoint={chosen}
            title={titleOf(chosen, known)}
            assistant={runner(chosen, known)}
            now={chosen.id === list[0]?.id ? standing(model) : ""}
            isDifference={query.get("diff") === "1"}
            isPicking={isPicking}
            onPick={() => pick(!isPicking)}
            onForked={(id) => {
              void checkpoints.refresh();
              choose({ checkpoint: id, with: undefined });
            }}
          />
        )}
      </div>
    </div>
  );
}

const NOTHING = { lane: 0, through: [], joining: [], above: false, below: false };

/** A link may lead to a checkpoint that the list does not have, or not yet. */
function Missing({ id, isBefore }: { id: string | undefined; isBefore: boolean }): JSX.Element {
  if (isBefore) return <Empty>Earlier checkpoints are being read …</Empty>;
  return (
    <Empty>
      This thread has no checkpoint <code>{visible(id ?? "")}</code>. Choose another one in the list.
    </Empty>
  );
}

/** The assistant that made a checkpoint, or the one before it that an assistant made. */
function runner(checkpoint: Checkpoint, known: ReadonlyMap<string, Checkpoint>): string | undefined {
  for (let at: Checkpoint | undefined = checkpoint; at !== undefined; at = known.get(at.parent ?? "")) {
    if (at.assistant !== undefined) return at.assistant;
  }
  return checkpoint.graph;
}
