// What an object was: a slider over its revisions, and for the chosen one what changed, when, and who did it.
import { useSignal } from "@preact/signals";
import { ask } from "../frame/ask.ts";
import { Asked } from "../frame/asked.tsx";
import type { ObjectRef } from "../frame/kinds.ts";
import { Table } from "../frame/table.tsx";
import { Moment } from "./moment.tsx";

interface History {
  readonly leftOut: number;
  readonly revisions: readonly Revision[];
}

interface Revision {
  readonly resourceVersion: string;
  readonly time?: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly by?: readonly { readonly manager: string; readonly operation: string }[];
  readonly changes: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[];
}

export function HistoryTab({ of }: { of: ObjectRef }) {
  const query = new URLSearchParams({
    group: of.group,
    ...(of.namespace ? { namespace: of.namespace } : {}),
  });
  const path = `/egret/v1/history/${of.resource}/${encodeURIComponent(of.name)}?${query}`;
  return (
    <Asked question={(signal) => ask<History>(path, { signal })} otherwise="Its history cannot be read">
      {(history) => <Revisions history={history} />}
    </Asked>
  );
}

function Revisions({ history: { revisions, leftOut } }: { history: History }) {
  const at = useSignal(revisions.length - 1);
  const chosen = revisions[at.value];
  if (!chosen) return <p class="hint">No revision of it is known any more.</p>;
  const { resourceVersion, time = "", type, by = [], changes } = chosen;
  return (
    <>
      <label class="slider">
        Revision {at.value + 1} of {revisions.length}
        {leftOut > 0 && ` (${leftOut.toLocaleString()} older ones are left out)`}
        <input
          type="range"
          min={0}
          max={revisions.length - 1}
          value={at}
          aria-valuetext={`revision ${resourceVersion}, ${time}`}
          onInput={({ currentTarget }) => (at.value = Number(currentTarget.value))}
        />
      </label>
      <p>
        <b>{WORDS[type]}</b> at revision {resourceVersion}, <Moment time={time} />
        {by.length > 0 && `, by ${by.map(({ manager }) => manager).join(", ")}`}
      </p>
      <Table columns={["Field", "Before", "After"]}>
        {changes.map(({ path, before, after }) => (
          <tr key={path}>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td>
              <Value value={before} />
            </td>
            <td>
              <Value value={after} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

const WORDS = { ADDED: "Created", MODIFIED: "Changed", DELETED: "Deleted" } as const;

const Value = ({ value }: { value: unknown }) =>
  value === undefined ? (
    <span class="hint">none</span>
  ) : (
    <code class="value">{typeof value === "string" ? value : JSON.stringify(value, undefined, 1)}</code>
  );
