// The attempts of a task, their errors, and the waits between them.

import type { JSX } from "preact";
import { Badge, duration, Time } from "../../../parts/basics.tsx";
import { visible } from "../../../parts/text.ts";
import type { Task } from "../../../run/model.ts";

export function Attempts({ task, now }: { task: Task; now: number }): JSX.Element {
  return (
    <div class="scrolls" tabIndex={0} role="group" aria-label="Attempts">
      <table>
        <thead>
          <tr>
            <th scope="col">Attempt</th>
            <th scope="col">Began</th>
            <th scope="col">Took</th>
            <th scope="col">How it ended</th>
          </tr>
        </thead>
        <tbody>
          {task.attempts.map((attempt) => (
            <tr key={attempt.number}>
              <td>{attempt.number}</td>
              <td>
                <Time at={attempt.began} />
              </td>
              <td>{duration((attempt.ended ?? now) - attempt.began)}</td>
              <td>
                <Badge status={attempt.status} />
                {attempt.error !== undefined && <pre>{visible(attempt.error)}</pre>}
                {attempt.waits !== undefined && <p class="quiet">Then it waited {duration(attempt.waits)}.</p>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
