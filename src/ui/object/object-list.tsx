// Paged list of a kind, with the columns of the server's Table format, as kubectl shows them.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Asking, shownOf } from "../frame/answer.ts";
import { ask } from "../frame/ask.ts";
import { type KindInfo, linkTo, pathOf } from "../frame/kinds.ts";
import { at, go } from "../frame/navigation.ts";
import { type Route, withQuery } from "../frame/route.ts";
import { Table } from "../frame/table.tsx";
import { TellStatus } from "../frame/told-status.tsx";
import { NotAllowed, standingOf } from "../rights/can.tsx";
import { onObject } from "../rights/question.ts";

const PAGE = 200;
const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";

interface TableAnswer {
  readonly metadata?: { readonly continue?: string; readonly remainingItemCount?: number };
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly {
    readonly cells: readonly unknown[];
    readonly object: {
      readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
    };
  }[];
}

export function ObjectList({ route, kind }: { route: Route; kind: KindInfo }) {
  const [namespace, label] = [route.query.get("ns") ?? "", route.query.get("label") ?? ""];
  const asking = useMemo(() => new Asking<TableAnswer>(), []);
  const more = (before?: TableAnswer) =>
    asking.ask((signal) => page(kind, { namespace, label, before, revision: at.value }, signal));
  const may = standingOf([onObject("list", { ...kind, namespace, name: "" })]);
  useEffect(() => {
    if (may.right === "refused") asking.forget();
    else if (may.right !== "asking") more();
  }, [namespace, label, at.value, may.right]);
  const answer = asking.answer.value;
  const table = shownOf(answer);
  return (
    <div class="objects">
      <p class="path">
        <a href="/egret/ui/o">Objects</a> › {kind.kind}
      </p>
      <h1>{kind.kind}</h1>
      <Filter route={route} kind={kind} />
      {may.right === "refused" && (
        <NotAllowed why={kind.isNamespaced && namespace === "" ? `${may.why} Name a namespace.` : may.why} />
      )}
      {answer.state === "refused" && <TellStatus status={answer.status} what="They cannot be listed" />}
      {table && <Rows table={table} kind={kind} />}
      {table?.metadata?.continue && (
        <button type="button" onClick={() => more(table)}>
          Show more
          {table.metadata.remainingItemCount
            ? ` (${table.metadata.remainingItemCount.toLocaleString()})`
            : ""}
        </button>
      )}
    </div>
  );
}

interface Asked {
  readonly namespace: string;
  readonly label: string;
  /** The pages loaded so far. */
  readonly before: TableAnswer | undefined;
  /** undefined: now. */
  readonly revision: number | undefined;
}

async function page(
  kind: KindInfo,
  { namespace, label, before, revision }: Asked,
  signal: AbortSignal,
): Promise<TableAnswer> {
  const query = new URLSearchParams({ limit: String(PAGE) });
  if (label !== "") query.set("labelSelector", label);
  if (revision !== undefined && !before) {
    query.set("resourceVersion", String(revision));
    query.set("resourceVersionMatch", "Exact");
  }
  if (before?.metadata?.continue) query.set("continue", before.metadata.continue);
  const path = pathOf({ ...kind, namespace: kind.isNamespaced ? namespace : "", name: "" });
  const next = await ask<TableAnswer>(`${path}?${query}`, { accept: TABLE, signal });
  return before
    ? { ...next, rows: [...before.rows, ...next.rows], columnDefinitions: before.columnDefinitions }
    : next;
}

function Filter({ route, kind }: { route: Route; kind: KindInfo }) {
  const namespace = useSignal(route.query.get("ns") ?? "");
  const label = useSignal(route.query.get("label") ?? "");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    go(withQuery(route, { ns: namespace.value.trim(), label: label.value.trim() }), "replace");
  };
  return (
    <form class="filter" onSubmit={submit}>
      {kind.isNamespaced && (
        <label>
          Namespace
          <input
            value={namespace}
            placeholder="all"
            onInput={({ currentTarget }) => (namespace.value = currentTarget.value)}
          />
        </label>
      )}
      <label>
        Labels
        <input
          value={label}
          placeholder="team=web,!old"
          onInput={({ currentTarget }) => (label.value = currentTarget.value)}
        />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

function Rows({ table: { columnDefinitions, rows }, kind }: { table: TableAnswer; kind: KindInfo }) {
  if (rows.length === 0) return <p class="hint">There are none here.</p>;
  const columns = columnDefinitions
    .map(({ name, priority }, index) => ({ name, priority, index }))
    .filter(({ priority, name }) => priority === 0 && name !== "Name");
  const heads = [...(kind.isNamespaced ? ["Namespace"] : []), "Name", ...columns.map(({ name }) => name)];
  return (
    <Table columns={heads}>
      {rows.map(({ cells, object: { metadata } }) => (
        <tr key={metadata.uid}>
          {kind.isNamespaced && <td>{metadata.namespace}</td>}
          <th scope="row">
            <a href={linkTo({ ...kind, namespace: metadata.namespace ?? "", name: metadata.name })}>
              {metadata.name}
            </a>
          </th>
          {columns.map(({ index }) => (
            <td key={index}>{textOf(cells[index])}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

const textOf = (cell: unknown): string =>
  cell === null || cell === undefined ? "" : typeof cell === "string" ? cell : JSON.stringify(cell);
