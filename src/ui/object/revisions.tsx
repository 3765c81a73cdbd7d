// Revisions of an object: history request, slider, and the selected revision in the URL.
import { useEffect, useMemo } from "preact/hooks";
import { type Answer, Asking } from "../frame/answer.ts";
import { ask } from "../frame/ask.ts";
import type { ObjectRef } from "../frame/kinds.ts";
import { go } from "../frame/navigation.ts";
import { type Route, withQuery } from "../frame/route.ts";
import type { Revision } from "./blame.ts";

export interface History {
  readonly leftOut: number;
  /** Oldest first. */
  readonly revisions: readonly Revision[];
}

const pathOf = (what: "history" | "objects", of: ObjectRef, more: Readonly<Record<string, string>> = {}) => {
  const within = of.namespace === "" ? {} : { namespace: of.namespace };
  const query = new URLSearchParams({ group: of.group, ...within, ...more });
  return `/egret/v1/${what}/${of.resource}/${encodeURIComponent(of.name)}?${query}`;
};

/** Requests the history again when the version changes; the previous answer is shown until then. */
export function useHistory(of: ObjectRef, version: string): Answer<History> {
  const asking = useMemo(() => new Asking<History>(), []);
  useEffect(() => asking.ask((signal) => ask<History>(pathOf("history", of), { signal })), [version]);
  useEffect(() => () => asking.forget(), []);
  return asking.answer.value;
}

/** Rejects with Refused: 404 if the object did not exist at that revision. */
export const objectAt = (of: ObjectRef, resourceVersion: string, signal: AbortSignal) =>
  ask<unknown>(pathOf("objects", of, { resourceVersion }), { signal });

/** Index of the revision in the URL; the newest if the URL names no known one. */
export function chosenIn({ revisions }: History, route: Route): number {
  const rev = route.query.get("rev");
  const at = revisions.findIndex(({ resourceVersion }) => resourceVersion === rev);
  return at < 0 ? revisions.length - 1 : at;
}

export const atRevision = (route: Route, history: History, at: number): Route => {
  const isNewest = at === history.revisions.length - 1;
  return withQuery(route, { rev: isNewest ? "" : (history.revisions[at]?.resourceVersion ?? "") });
};

interface SliderProps {
  readonly route: Route;
  readonly history: History;
}

export function RevisionSlider({ route, history }: SliderProps) {
  const { revisions, leftOut } = history;
  const at = chosenIn(history, route);
  const { resourceVersion = "", time = "" } = revisions[at] ?? {};
  return (
    <label class="slider">
      Revision {(at + 1).toLocaleString()} of {revisions.length.toLocaleString()}
      {leftOut > 0 && ` (${leftOut.toLocaleString()} older ones are left out)`}
      <input
        type="range"
        min={0}
        max={revisions.length - 1}
        value={at}
        aria-valuetext={`revision ${resourceVersion}, ${time}`}
        onInput={({ currentTarget }) =>
          go(atRevision(route, history, Number(currentTarget.value)), "replace")
        }
      />
    </label>
  );
}

/** Field managers, and the user of the request if known. */
export const writersOf = ({ by = [] }: Revision): string => by.map(({ manager }) => manager).join(", ");
