// The key with which the server is asked. It stays in this tab, and goes to this server only.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { hasKey, setKey } from "../connection.ts";

export function KeyButton(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const close = () => {
    if (field.current) field.current.value = "";
    dialog.current?.close();
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    setKey(field.current?.value.trim());
    close();
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {hasKey.value ? "Key: set" : "Key"}
      </button>
      <dialog ref={dialog} aria-labelledby="key-title">
        <form onSubmit={onSubmit}>
          <h2 id="key-title">Key of the server</h2>
          <p class="quiet">A server that others can reach asks for one. It is kept in this tab, and is sent to this server only.</p>
          <label>
            Key
            <br />
            <input ref={field} type="password" autocomplete="off" spellcheck={false} />
          </label>
          <p class="row">
            <button type="submit" class="primary">
              Use it
            </button>
            <button type="button" onClick={() => (setKey(undefined), close())}>
              Forget it
            </button>
            <button type="button" onClick={close}>
              Cancel
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}
