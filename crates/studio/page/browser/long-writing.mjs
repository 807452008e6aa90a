// A text of many tasks, by a model that answers by rules: the whole has eight parts, each of those seven, and so on, layer by
// layer. What is written is made up.

/** What a run is given whose tasks lie in so many layers below the whole: 9, 65, 457 or 3,201 tasks. */
export function longText(layers) {
  const parts = 8 * 7 ** (layers - 1);
  const context = { mode: "story", words: 40 * parts, max_depth: layers };
  return { input: { request: "A long story of a river" }, more: { context, config: { recursion_limit: 1_000_000 } } };
}

function plan(count) {
  const tasks = Array.from({ length: count }, (_, at) => ({
    id: String(at + 1),
    task_type: "write",
    goal: `PART tell how the river comes to bend ${at + 1}, and who lives there`,
    dependency: [],
  }));
  return { id: "", task_type: "write", goal: "the whole", dependency: [], sub_tasks: tasks };
}

const JUDGED =
  "<think>so</think><result><goal_updating></goal_updating>" +
  "<atomic_task_determination>complex</atomic_task_determination></result>";
const planned = (count) => `<think>so</think><result>${JSON.stringify(plan(count))}</result>`;
const TEXT =
  "## A bend\n\nThe river slows where the **alders** stand, and who rows there rows without a word. " +
  "On the far bank a woman counts the boats, as her mother did.\n\n- one for the mill\n- one for the ferry";

/** The rules of the model. */
export const LONG_SCRIPT = [
  { when: "<atomic_task_determination>", reply: JUDGED },
  { when: ["You plan for a team", "PART"], reply: planned(7) },
  { when: "You plan for a team", reply: planned(8) },
  { when: "<article>", reply: `<think>so</think><article>${TEXT}</article>` },
];
