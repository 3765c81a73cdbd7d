// Many objects in one answer: as objects, as a Table, by a selector, and page by page.
import { createRequest, EGRESS_IPS, ONE_IN_TEN, readJson, workers } from "./egress-ips.ts";
import { type HttpConnection, requestBytes, withConnections } from "./http-connection.ts";
import { compare, type Limits, measure } from "./measure.ts";
import type { Target } from "./plan.ts";
import type { Row } from "./report.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const PAGE = 500;

/** The EgressIPs stay for the rows that follow. */
export async function listRows(target: Target): Promise<Row[]> {
  const { plan, url } = target;
  const all = await existing(url);
  await fill(url, plan.listed);
  const total = all + plan.listed;
  const shapes = [
    { operation: `list ${total} EgressIPs`, query: "", accept: "application/json", count: total },
    { operation: `list ${total} EgressIPs as Table`, query: "", accept: TABLE, count: total },
    {
      operation: "list one in ten by label",
      query: `?labelSelector=${ONE_IN_TEN}`,
      accept: "application/json",
      count: plan.listed / 10,
    },
    {
      operation: `list one page of ${PAGE}`,
      query: `?limit=${PAGE}`,
      accept: "application/json",
      count: Math.min(PAGE, total),
    },
  ];
  const rows: Row[] = [];
  for (const shape of shapes) rows.push(await listRow(target, shape));
  return rows;
}

interface Shape {
  readonly operation: string;
  readonly query: string;
  readonly accept: string;
  readonly count: number;
}

async function listRow(
  { plan, url, rawUrl }: Target,
  { operation, query, accept, count }: Shape,
): Promise<Row> {
  const path = `${EGRESS_IPS}${query}`;
  const found = entriesOf(await readJson(url, path, accept));
  if (found !== count) throw new Error(`GET ${path} has ${found} entries, not ${count}`);
  return await withConnections(url, 1, async ([ours]) =>
    withConnections(rawUrl, 1, async ([raw]) => {
      const request = requestBytes("GET", path, { accept });
      const bytes = await sizeOf(ours, request);
      const rawRequest = requestBytes("GET", `/bytes/${bytes}`);
      const result = await compare(
        plan.rounds,
        () => lists(ours, request, plan.lists),
        () => lists(raw, rawRequest, plan.lists),
      );
      return { operation, clients: 1, bytes, ...result, raw: "bare fastify, same bytes" };
    }),
  );
}

function lists(connection: HttpConnection | undefined, request: string, limits: Limits) {
  return measure(
    workers(connection ? [connection] : [], 200, () => request),
    limits,
  );
}

async function sizeOf(connection: HttpConnection | undefined, request: string): Promise<number> {
  return (await connection?.send(request))?.bodyBytes ?? 0;
}

async function existing(url: string): Promise<number> {
  return entriesOf(await readJson(url, EGRESS_IPS));
}

function entriesOf(list: unknown): number {
  const { items, rows } = list as { items?: unknown[]; rows?: unknown[] }; // a list or a Table
  return (items ?? rows ?? []).length;
}

async function fill(url: string, count: number): Promise<void> {
  await withConnections(url, 64, (connections) =>
    measure(
      workers(connections, 201, (number) => createRequest(`bench-list-${number}`, number)),
      { msMax: 120_000, countMax: count },
    ),
  );
}
