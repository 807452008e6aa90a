// The page of a task: what it began with, what it did, told and wrote, and what became of it.

import type { ComponentChildren, JSX } from "preact";
import { useId, useMemo } from "preact/hooks";
import { readOnly } from "../../connection.ts";
import { Badge, duration, Problem, Time } from "../../parts/basics.tsx";
import { Copy } from "../../parts/copy.tsx";
import { JsonTree } from "../../parts/json.tsx";
import { visible } from "../../parts/text.ts";
import { link, route } from "../../route.ts";
import { nodeKey, place, type RunModel, type Task } from "../../run/model.ts";
import { CHOICES } from "../../run/streamed.ts";
import { type Clock, useNow } from "./clock.ts";
import { LeftOut } from "./streamed.tsx";
import { Attempts } from "./task/attempts.tsx";
import { Input } from "./task/input.tsx";
import { Message, Usage } from "./task/message.tsx";
import { ModelCalls } from "./task/model-calls.tsx";
import { ToldList } from "./task/told.tsx";
import { Tools } from "./task/tools.tsx";
import { usageOf } from "./task/usage.ts";
import { worked } from "./timeline/bars.ts";

const OPTIONAL = CHOICES.map(({ channel }) => channel);

export interface TaskPageProps {
  thread: string;
  task: Task;
  model: RunModel;
  clock: Clock;
  onClose: () => void;
}

export function TaskPage({ thread, task, model, clock, onClose }: TaskPageProps): JSX.Element {
  const isLive = task.status === "running" || task.status === "waiting";
  const now = useNow(isLive, clock, model.time);
  const shared = model.shared.get(nodeKey(task.namespace, task.node));
  const questions = { ...Object.fromEntries(route.value.query), tab: "questions" };
  // The version says whether anything of the task changed.
  const still = useMemo(
    () => <Still thread={thread} task={task} />,
    [thread, task, task.status, task.input, task.result],
  );
  const telling = useMemo(() => <Telling task={task} />, [task, task.version]);
  return (
    <>
      <header class="row apart">
        <h2 id="task-title" tabIndex={-1}>
          {visible(task.node)}
        </h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      <dl class="facts">
        <dt>Status</dt>
        <dd>
          <Badge status={task.status} />
        </dd>
        {task.namespace.length > 0 && (
          <>
            <dt>In the subgraph</dt>
            <dd class="mono">{visible(place(task.namespace))}</dd>
          </>
        )}
        <dt>Began</dt>
        <dd>
          <Time at={task.began} />
        </dd>
        {task.ended !== undefined && (
          <>
            <dt>Ended</dt>
            <dd>
              <Time at={task.ended} />
            </dd>
          </>
        )}
        <dt>Worked</dt>
        <dd>{duration(worked(task, now))}</dd>
        <dt>Run</dt>
        <dd>{runsOf(task)}</dd>
        <dt>Id</dt>
        <dd class="row">
          <code>{task.id}</code>
          <Copy text={() => task.id} />
        </dd>
      </dl>
      {task.error !== undefined && (
        <Problem>
          <span class="error-text">{visible(task.error)}</span>
        </Problem>
      )}
      {task.interrupts.length > 0 && (
        <Part title="Asks">
          {task.interrupts.map((interrupt) => (
            <JsonTree key={interrupt.id} value={interrupt.value} label="Question" />
          ))}
          <p>
            <a href={link(route.value.path, questions)}>{readOnly.value ? "Show the question" : "Answer it"}</a>
          </p>
        </Part>
      )}
      {(task.attempts.length > 1 || task.attempts[0]?.error !== undefined) && (
        <Part title="Attempts">
          <Attempts task={task} now={now} />
        </Part>
      )}
      <LeftOut channels={OPTIONAL} />
      {telling}
      {shared !== undefined && (shared.told.length > 0 || shared.messages.length > 0) && (
        <Part title="Told by tasks of this node">
          <p class="quiet">
            Several tasks of the node were under way; the server does not say which of them told this.
          </p>
          {shared.messages.map((message) => (
            <Message key={message.id} message={message} />
          ))}
          {shared.told.length > 0 && <ToldList told={shared.told} />}
        </Part>
      )}
      {still}
    </>
  );
}

/** What comes while the task is under way. */
function Telling({ task }: { task: Task }): JSX.Element {
  const usage = usageOf(task);
  const told = useMemo(() => <ToldList told={task.told} />, [task.told, task.told.length]);
  return (
    <>
      {task.messages.length > 0 && (
        <Part title="Messages">
          {task.messages.map((message) => (
            <Message key={message.id} message={message} />
          ))}
        </Part>
      )}
      {task.modelCalls.length > 0 && (
        <Part title="Calls of models">
          <ModelCalls calls={task.modelCalls} />
        </Part>
      )}
      {usage !== undefined && task.modelCalls.length === 0 && (
        <p>
          <Usage usage={usage} />
        </p>
      )}
      {task.tools.length > 0 && (
        <Part title="Tools">
          <Tools tools={task.tools} />
        </Part>
      )}
      {task.told.length > 0 && (
        <Part title="Told">
          {told}
        </Part>
      )}
    </>
  );
}

/** What does not change while the task is under way. */
function Still({ thread, task }: { thread: string; task: Task }): JSX.Element {
  return (
    <>
      {task.status === "done" && (
        <Part title="Wrote">
          <JsonTree value={task.result} label={`What ${task.node} wrote`} />
        </Part>
      )}
      <Part title={task.sent ? "Was sent" : "Input"}>
        <Input key={task.id} thread={thread} task={task} />
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const id = useId();
  return (
    <section class="task-part" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}

/** The runs in which a task was under way, as they are counted. */
function runsOf(task: Task): string {
  const runs = new Set(task.attempts.map((attempt) => attempt.run + 1));
  return runs.size === 0 ? String(task.run + 1) : [...runs].join(", ");
}
