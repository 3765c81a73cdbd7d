// How the parts of the lab run their actions.
import { type Signal, useSignal } from "@preact/signals";
import { Refused, type ToldStatus } from "../frame/ask.ts";

/** Runs an action and shows a rejection. If the promise resolves with a string, it is shown as the result. */
export type Act = (what: string, does: () => Promise<unknown>) => void;

interface Rejection {
  readonly what: string;
  readonly status: ToldStatus;
}

interface Acts {
  readonly act: Act;
  /** The last rejection; undefined: the last action succeeded. */
  readonly refused: Signal<Rejection | undefined>;
  /** The result of the last action; empty: it was rejected. */
  readonly done: Signal<string>;
}

export function useActs(): Acts {
  const refused = useSignal<Rejection | undefined>(undefined);
  const done = useSignal("");
  const act: Act = (what, does) => {
    does().then(
      (told) => {
        refused.value = undefined;
        done.value = `${what}: ${typeof told === "string" ? told : "done"}.`;
      },
      (error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        done.value = "";
        refused.value = { what: `${what}: refused`, status: error.status };
      },
    );
  };
  return { act, refused, done };
}
