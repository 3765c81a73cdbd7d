// What is asked of the server once, when it is first shown: the answer, or why there is none.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { Asking } from "./answer.ts";
import { TellStatus } from "./told-status.tsx";

interface AskedProps<T> {
  /** Asked once: who asks another one gives the component another key. */
  readonly question: (signal: AbortSignal) => Promise<T>;
  /** Said where it is refused. */
  readonly otherwise: string;
  readonly children: (value: T) => ComponentChildren;
}

export function Asked<T>({ question, otherwise, children }: AskedProps<T>) {
  const asking = useMemo(() => new Asking<T>(), []);
  useEffect(() => {
    asking.ask(question);
    return () => asking.forget();
  }, []);
  const answer = asking.answer.value;
  if (answer.state === "refused") return <TellStatus status={answer.status} what={otherwise} />;
  return answer.state === "answered" ? children(answer.value) : null;
}
