// How a tree of checkpoints is drawn beside its list: a lane a branch.

/** What is drawn in one row, in numbers of lanes from the left. */
export interface Lanes {
  /** That of the checkpoint itself. */
  lane: number;
  /** Lanes of other branches that go on through the row. */
  through: number[];
  /** Lanes of branches that began at this checkpoint: they come from above and end here. */
  joining: number[];
  /** Whether its own lane comes from a later checkpoint above. */
  above: boolean;
  /** Whether its own lane goes on to an earlier checkpoint below. */
  below: boolean;
}

/** The lanes of a list, newest first. A parent stands somewhere below its children, or is not in the list yet. */
export function lanes(list: readonly { id: string; parent: string | undefined }[]): Lanes[] {
  /** The checkpoint to which each lane leads. */
  const leads: (string | undefined)[] = [];
  return list.map(({ id, parent }) => {
    const coming = leads.flatMap((to, lane) => (to === id ? [lane] : []));
    const free = leads.indexOf(undefined);
    const lane = coming[0] ?? (free < 0 ? leads.length : free);
    const joining = coming.slice(1);
    for (const ended of joining) leads[ended] = undefined;
    leads[lane] = undefined;
    const through = leads.flatMap((to, other) => (to === undefined ? [] : [other]));
    leads[lane] = parent;
    while (leads.length > 0 && leads.at(-1) === undefined) leads.pop();
    return { lane, through, joining, above: coming.length > 0, below: parent !== undefined };
  });
}

/** How many lanes a drawing has. */
export function width(rows: readonly Lanes[]): number {
  return rows.reduce((most, row) => Math.max(most, row.lane, ...row.through, ...row.joining), 0) + 1;
}
