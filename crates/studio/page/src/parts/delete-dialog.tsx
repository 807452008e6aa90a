// A dialog that asks whether something is really to be deleted, deletes it, and stays where that is refused.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError, told } from "../api/http.ts";
import { api } from "../connection.ts";
import { Problem } from "./basics.tsx";

export function DeleteDialog({
  title,
  path,
  onDeleted,
  onClose,
  children,
}: {
  title: string;
  /** What is deleted, as the server knows it. */
  path: string;
  onDeleted: () => void;
  /** The dialog is closed, however. */
  onClose: () => void;
  /** What goes with it. */
  children: ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const remove = async () => {
    setDeleting(true);
    setProblem(undefined);
    try {
      await api.value.send("DELETE", path);
      onDeleted();
    } catch (error) {
      // Somebody else was faster.
      if (error instanceof ApiError && error.status === 404) onDeleted();
      else setProblem(told(error));
      setDeleting(false);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="confirm"
      aria-labelledby={id}
      onClose={onClose}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <h2 id={id}>{title}</h2>
      {children}
      {problem !== undefined && <Problem>{problem}</Problem>}
      <p class="row">
        <button type="button" class="danger" disabled={isDeleting} onClick={() => void remove()}>
          {isDeleting ? "Deleting …" : "Delete it"}
        </button>
        <button type="button" autofocus onClick={() => dialog.current?.close()}>
          Keep it
        </button>
      </p>
    </dialog>
  );
}
