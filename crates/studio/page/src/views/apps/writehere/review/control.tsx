// The review of a plan: its tasks as rows that can be changed, in the place of the form of the answer's schema.

import type { JSX } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Markdown } from "../../../../parts/markdown.tsx";
import { counted, visible } from "../../../../parts/text.ts";
import type { AnswerControl, AnswerProps } from "../../answers.ts";
import { ACCEPT, changed, type PlanAsked, planAsked } from "./asked.ts";
import { adviceOn, problemsOf, typesInside } from "./check.ts";
import { withTask } from "./edit.ts";
import { isSame, keptPlan, type Plan, type PlanTask, readPlan, writePlan } from "./plan.ts";
import { Rows } from "./rows.tsx";

export const PLAN_REVIEW: AnswerControl = {
  fits: ({ value }) => planAsked(value) !== undefined,
  Control: (props) => {
    const asked = useMemo(() => planAsked(props.question.value), [props.question.value]);
    return asked === undefined ? <></> : <Review {...props} asked={asked} />;
  },
};

function Review({ asked, draft, onChange, onAnswer, isOpen }: AnswerProps & { asked: PlanAsked }): JSX.Element {
  const shown = useMemo(() => readPlan(asked.tasks, asked.node), [asked]);
  const plan = useMemo(() => keptPlan(draft) ?? shown, [draft, shown]);
  const [tried, setTried] = useState(false);
  const [said, say] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const focus = useFocus(box);
  const isChanged = !isSame(plan, shown);
  const problems = useMemo(() => problemsOf(plan, asked.types), [plan, asked]);
  // A goal that is not yet written is wrong once it is to be sent; anything else is wrong at once.
  const seen = tried ? problems : new Map([...problems].filter(([place]) => !place.endsWith("/goal")));
  const change = (to: Plan, what = "", focused?: string) => {
    onChange(JSON.parse(JSON.stringify(to)));
    say(what);
    if (focused !== undefined) focus(focused);
  };
  const use = () => {
    setTried(true);
    if (problems.size === 0) onAnswer(changed(writePlan(plan)));
    else focus("[aria-invalid='true']");
  };
  const add = (inside?: PlanTask) => {
    const [type = "write"] = inside === undefined ? asked.types : typesInside(inside.type);
    const to = withTask(plan, type, inside?.at);
    change(to, "A task was added.", `[data-task="${to.next}"] textarea`);
  };
  return (
    <div ref={box} class="plan">
      <Asked asked={asked} />
      {plan.tasks.length === 0 ? (
        <p class="empty">The plan has no task: the text is written as one piece.</p>
      ) : (
        <Rows {...{ plan, types: asked.types, problems: seen, isOpen, change, add }} />
      )}
      {isOpen && (
        <>
          <p>
            <button type="button" data-add="true" onClick={() => add()}>
              Add a task
            </button>
          </p>
          <Advice advice={isChanged ? adviceOn(plan, asked) : []} />
          <p class="row plan-answer">
            {isChanged ? (
              <>
                <button type="button" class="primary" onClick={use}>
                  Use the changed plan
                </button>
                <button type="button" onClick={() => change(shown, "All changes are undone.", "[data-add]")}>
                  Undo all changes
                </button>
              </>
            ) : (
              <button type="button" class="primary" onClick={() => onAnswer(ACCEPT)}>
                Accept the plan
              </button>
            )}
            <span class="quiet" role="status">
              {tried && problems.size > 0 ? `${counted(problems.size, "field")} must be put right first.` : said}
            </span>
          </p>
        </>
      )}
    </div>
  );
}

/** What is planned, and what was put right in it. */
function Asked({ asked }: { asked: PlanAsked }): JSX.Element {
  const { node, goal, length, round, putRight } = asked;
  const id = useId();
  return (
    <>
      <h3 id={id}>
        {round > 1
          ? "Your plan, as it will be carried out"
          : node === "root"
            ? "The plan of the text, before it is carried out"
            : `The plan of task ${visible(node)}, before it is carried out`}
      </h3>
      <div class="plan-goal">
        <Markdown text={goal} />
        {length !== undefined && <p class="quiet">{visible(length)}</p>}
      </div>
      {putRight.length > 0 && (
        <div class="notice">
          {round > 1 ? "This was put right in it:" : "This was put right in the plan as it was written:"}
          <ul>
            {putRight.map((one, at) => (
              <li key={at}>{visible(one)}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Advice({ advice }: { advice: string[] }): JSX.Element {
  return (
    <div role="status">
      {advice.length > 0 && (
        <ul class="notice plan-advice">
          {advice.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Moves the focus to what a selector finds first, once it is there. */
function useFocus(box: { current: HTMLElement | null }): (selector: string) => void {
  const [wanted, want] = useState<{ selector: string }>();
  useLayoutEffect(() => {
    if (wanted !== undefined) box.current?.querySelector<HTMLElement>(wanted.selector)?.focus();
  }, [wanted]);
  return (selector) => want({ selector });
}
