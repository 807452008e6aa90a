// A dialog that asks before something is done that cannot be taken back.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export interface ConfirmProps {
  title: string;
  /** What the button does, in a word or two. */
  action: string;
  children?: ComponentChildren;
  onConfirm: () => void;
  /** The dialog is closed, however. */
  onClose: () => void;
}

export function Confirm({ title, action, children, onConfirm, onClose }: ConfirmProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    dialog.current?.close();
    onConfirm();
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose} onKeyDown={(event) => event.stopPropagation()}>
      <form onSubmit={onSubmit}>
        <h2 id={id}>{title}</h2>
        {children}
        <p class="row">
          <button type="submit" class="danger">
            {action}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave it
          </button>
        </p>
      </form>
    </dialog>
  );
}
