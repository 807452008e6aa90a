// Changes to a plan. Each gives a new plan and leaves the old one as it is.

import type { Plan, PlanTask } from "./plan.ts";

/** The plan with other fields of a task. */
export function withFields(plan: Plan, at: number, fields: Partial<Omit<PlanTask, "at" | "tasks">>): Plan {
  return layers(plan, (tasks) => tasks.map((task) => (task.at === at ? { ...task, ...fields } : task)));
}

/** The plan with a task at the end: of the plan, or inside of another task. It has no goal yet. */
export function withTask(plan: Plan, type: string, inside?: number): Plan {
  const at = plan.next + 1;
  const task: PlanTask = { at, goal: "", type, length: "", waits: [], unknown: [], atom: false, tasks: [] };
  if (inside === undefined) return { ...plan, next: at, tasks: [...plan.tasks, task] };
  const into = (one: PlanTask) => (one.at === inside ? { ...one, atom: false, tasks: [...one.tasks, task] } : one);
  return { ...layers(plan, (tasks) => tasks.map(into)), next: at };
}

/** The plan without a task and what is inside it. What waits for it is left as it is. */
export function withoutTask(plan: Plan, at: number): Plan {
  return layers(plan, (tasks) => tasks.filter((task) => task.at !== at));
}

/** The plan with a task one place up or down among those beside it. */
export function moved(plan: Plan, at: number, by: 1 | -1): Plan {
  return layers(plan, (tasks) => {
    const from = tasks.findIndex((task) => task.at === at);
    const to = from + by;
    const [one, other] = [tasks[from], tasks[to]];
    if (one === undefined || other === undefined) return tasks;
    return tasks.map((task, index) => (index === from ? other : index === to ? one : task));
  });
}

/** The task that focus goes to when one is removed: the one behind it, or else before it. */
export function besideOf(plan: Plan, at: number): number | undefined {
  const layer = layerOf(plan.tasks, at) ?? [];
  const place = layer.findIndex((task) => task.at === at);
  return (layer[place + 1] ?? layer[place - 1])?.at;
}

function layerOf(tasks: readonly PlanTask[], at: number): readonly PlanTask[] | undefined {
  if (tasks.some((task) => task.at === at)) return tasks;
  for (const task of tasks) {
    const found = layerOf(task.tasks, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The plan with every layer changed, the outer ones first. */
function layers(plan: Plan, change: (tasks: PlanTask[]) => PlanTask[]): Plan {
  const all = (tasks: PlanTask[]): PlanTask[] =>
    change(tasks).map((task) => (task.tasks.length === 0 ? task : { ...task, tasks: all(task.tasks) }));
  return { ...plan, tasks: all(plan.tasks) };
}
