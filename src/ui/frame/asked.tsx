// Component that sends one request when it is mounted, and renders the answer or the error.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { Asking } from "./answer.ts";
import { TellStatus } from "./told-status.tsx";

interface AskedProps<T> {
  /** Sent once; another request requires another `key` of the component. */
  readonly question: (signal: AbortSignal) => Promise<T>;
  /** Heading of the error. */
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
