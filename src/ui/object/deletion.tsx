// Delete button with a confirmation dialog.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { ask, Refused, type ToldStatus } from "../frame/ask.ts";
import { pathOf } from "../frame/kinds.ts";
import { TellStatus } from "../frame/told-status.tsx";
import type { ShownObject } from "./shown-object.ts";

export function Deletion({ kind, of, onDeleted }: ShownObject & { onDeleted: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const refused = useSignal<ToldStatus | undefined>(undefined);
  if (!kind.verbs.includes("delete")) return null;
  const remove = async (): Promise<void> => {
    try {
      await ask(pathOf(of), { method: "DELETE" });
      dialog.current?.close();
      onDeleted();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused.value = error.status;
    }
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        Delete …
      </button>
      <dialog ref={dialog} aria-labelledby="deletion">
        <h2 id="deletion">
          Delete {kind.kind} {of.name}?
        </h2>
        {refused.value && <TellStatus status={refused.value} what="It was not deleted" />}
        <button type="button" class="danger" onClick={() => void remove()}>
          Delete
        </button>{" "}
        <button type="button" onClick={() => dialog.current?.close()}>
          Keep it
        </button>
      </dialog>
    </>
  );
}
