// The tasks of a plan that is reviewed, a row each; those inside a task are below it.

import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { visible } from "../../../../parts/text.ts";
import type { TaskType } from "../node.ts";
import { TypeSign } from "../type-sign.tsx";
import { placeOf, typesInside } from "./check.ts";
import { besideOf, moved, withFields, withoutTask } from "./edit.ts";
import type { Plan, PlanTask } from "./plan.ts";
import { Waits } from "./waits.tsx";

export interface Editing {
  plan: Plan;
  problems: ReadonlyMap<string, string>;
  /** Whether it can be changed. */
  isOpen: boolean;
  /** Takes a changed plan, says what was done, and focuses what a selector finds. */
  change: (to: Plan, what?: string, focused?: string) => void;
  /** Adds a task inside another. */
  add: (inside: PlanTask) => void;
}

export function Rows({ types, ...editing }: Editing & { types: readonly TaskType[] }): JSX.Element {
  return <Layer {...editing} tasks={editing.plan.tasks} prefix={editing.plan.prefix} types={types} />;
}

interface LayerProps extends Editing {
  tasks: readonly PlanTask[];
  /** What their ids begin with. */
  prefix: string;
  types: readonly TaskType[];
}

function Layer(props: LayerProps): JSX.Element {
  return (
    <ol class="plan-tasks">
      {props.tasks.map((task, index) => (
        <Row key={task.at} {...props} task={task} index={index} />
      ))}
    </ol>
  );
}

function Row(props: LayerProps & { task: PlanTask; index: number }): JSX.Element {
  const { task, index, tasks, prefix, types, plan, problems, isOpen, change, add } = props;
  const id = useId();
  const name = `${prefix}${index + 1}`;
  const type = types.find((one) => one === task.type);
  const set = (fields: Partial<PlanTask>) => change(withFields(plan, task.at, fields));
  const move = (by: 1 | -1) => {
    const to = index + by;
    if (to < 0 || to >= tasks.length) return;
    const side = by < 0 ? "up" : "down";
    // At the end of the way the other button takes the focus: this one is switched off there.
    const isEnd = to === 0 || to === tasks.length - 1;
    const held = document.activeElement?.matches("textarea") ? "textarea" : undefined;
    const focused = held ?? `[data-move="${isEnd ? (by < 0 ? "down" : "up") : side}"]`;
    const said = `Task ${name} is now ${prefix}${to + 1}.`;
    change(moved(plan, task.at, by), said, `[data-task="${task.at}"] ${focused}`);
  };
  const remove = () => {
    const beside = besideOf(plan, task.at);
    const to = beside === undefined ? "[data-add]" : `[data-task="${beside}"] textarea`;
    change(withoutTask(plan, task.at), `Task ${name} was removed.`, to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key];
    if (by === undefined || !event.altKey || event.ctrlKey || event.metaKey || !isOpen) return;
    event.preventDefault();
    event.stopPropagation();
    move(by);
  };
  const wrong = (field: "goal" | "type") => problems.get(placeOf(task.at, field));
  return (
    <li data-task={task.at} onKeyDown={onKeyDown}>
      <div class="plan-task" role="group" aria-label={`Task ${name}`}>
        <div class="row plan-line">
          <strong class="plan-id">{name}</strong>
          <TypeSign type={type ?? "think"} />
          <label>
            <span class="hidden">Type</span>
            <select
              value={task.type}
              disabled={!isOpen}
              aria-invalid={wrong("type") !== undefined}
              aria-describedby={`${id}-type`}
              onChange={(event) => set({ type: event.currentTarget.value })}
            >
              {type === undefined && <option value={task.type}>{visible(task.type) || "no type"}</option>}
              {types.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
          {task.type === "write" && (
            <label class="row plan-length">
              <span class="quiet">Length</span>
              <input
                value={task.length}
                readOnly={!isOpen}
                placeholder="300 words"
                onInput={(event) => set({ length: event.currentTarget.value })}
              />
            </label>
          )}
          {task.tasks.length === 0 && (
            <label class="row plan-atom" title="It is carried out as it is, without a plan of its own">
              <input
                type="checkbox"
                checked={task.atom}
                disabled={!isOpen}
                onChange={(event) => set({ atom: event.currentTarget.checked })}
              />
              plan no further
            </label>
          )}
          {isOpen && (
            <span class="row plan-buttons">
              <button
                type="button"
                data-move="up"
                aria-label={`Move task ${name} up`}
                title="Up (Alt and ↑)"
                disabled={index === 0}
                onClick={() => move(-1)}
              >
                ↑
              </button>
              <button
                type="button"
                data-move="down"
                aria-label={`Move task ${name} down`}
                title="Down (Alt and ↓)"
                disabled={index === tasks.length - 1}
                onClick={() => move(1)}
              >
                ↓
              </button>
              <button
                type="button"
                aria-label={`Add a task inside of task ${name}`}
                title="Add a task inside"
                onClick={() => add(task)}
              >
                +
              </button>
              <button type="button" class="danger" aria-label={`Remove task ${name}`} title="Remove" onClick={remove}>
                ✕
              </button>
            </span>
          )}
        </div>
        {wrong("type") !== undefined && (
          <p id={`${id}-type`} class="field-problem">
            {wrong("type")}
          </p>
        )}
        <textarea
          aria-label={`Goal of task ${name}`}
          rows={Math.min(6, Math.max(1, Math.ceil(task.goal.length / 70)))}
          value={task.goal}
          readOnly={!isOpen}
          aria-invalid={wrong("goal") !== undefined}
          aria-describedby={`${id}-goal`}
          onInput={(event) => set({ goal: event.currentTarget.value })}
        />
        {wrong("goal") !== undefined && (
          <p id={`${id}-goal`} class="field-problem">
            {wrong("goal")}
          </p>
        )}
        <Waits {...{ task, tasks, prefix, isOpen }} problem={problems.get(placeOf(task.at, "waits"))} onChange={set} />
      </div>
      {task.tasks.length > 0 && (
        <Layer {...props} tasks={task.tasks} prefix={`${name}.`} types={typesInside(task.type)} />
      )}
    </li>
  );
}
