// The choice of the tasks that a task of a plan waits for: those beside it.

import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { short, visible } from "../../../../parts/text.ts";
import type { PlanTask } from "./plan.ts";

export interface WaitsProps {
  task: PlanTask;
  /** The tasks beside it, and itself. */
  tasks: readonly PlanTask[];
  prefix: string;
  problem: string | undefined;
  isOpen: boolean;
  onChange: (fields: Partial<PlanTask>) => void;
}

export function Waits({ task, tasks, prefix, problem, isOpen, onChange }: WaitsProps): JSX.Element | null {
  const id = useId();
  const others = tasks.flatMap((one, index) => (one === task ? [] : [{ one, name: `${prefix}${index + 1}` }]));
  const gone = task.waits.filter((at) => !tasks.some((one) => one.at === at));
  if (others.length + gone.length + task.unknown.length === 0) return null;
  const turn = (at: number, on: boolean) => {
    onChange({ waits: on ? [...task.waits, at] : task.waits.filter((one) => one !== at) });
  };
  return (
    <fieldset class="plan-waits" aria-describedby={problem === undefined ? undefined : id}>
      <legend class="quiet">Waits for</legend>
      {others.map(({ one, name }) => (
        <Choice
          key={one.at}
          text={name}
          title={`${one.type}: ${visible(short(one.goal, 200))}`}
          on={task.waits.includes(one.at)}
          isWrong={problem !== undefined}
          isOpen={isOpen}
          onTurn={(on) => turn(one.at, on)}
        />
      ))}
      {gone.map((at) => (
        <Choice key={at} text="a removed task" on isWrong isOpen={isOpen} onTurn={() => turn(at, false)} />
      ))}
      {task.unknown.map((name) => (
        <Choice
          key={name}
          text={`${visible(name)} (unknown)`}
          on
          isWrong
          isOpen={isOpen}
          onTurn={() => onChange({ unknown: task.unknown.filter((one) => one !== name) })}
        />
      ))}
      {problem !== undefined && (
        <p id={id} class="field-problem">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

interface ChoiceProps {
  text: string;
  title?: string;
  on: boolean;
  isWrong: boolean;
  isOpen: boolean;
  onTurn: (on: boolean) => void;
}

function Choice({ text, title, on, isWrong, isOpen, onTurn }: ChoiceProps): JSX.Element {
  return (
    <label class="plan-wait" title={title}>
      <input
        type="checkbox"
        checked={on}
        disabled={!isOpen}
        aria-invalid={isWrong && on}
        onChange={(event) => onTurn(event.currentTarget.checked)}
      />
      {text}
    </label>
  );
}
