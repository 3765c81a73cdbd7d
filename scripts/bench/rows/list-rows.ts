// Many objects in one answer: as objects, as a Table, by a selector, of one namespace, and page by page.
import { configMaps, createConfigMapRequest, createNamespaces } from "../client/config-maps.ts";
import { clear, createRequest, EGRESS_IPS, ONE_IN_TEN, workers } from "../client/egress-ips.ts";
import { fill } from "../client/fill.ts";
import { type HttpConnection, requestBytes, withConnections } from "../client/http-connection.ts";
import { readJson } from "../client/server-access.ts";
import { compare, type Limits, measure } from "../measure.ts";
import type { Bench, Target } from "../plan.ts";
import { metered } from "../process-time.ts";
import type { Row } from "../report/row.ts";
import { RAW_HTTP } from "./object-rows.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const JSON_TYPE = "application/json";
const PAGE = 500;

export function listRows(bench: Bench): Promise<Row[]> {
  return bench.withServer(async (target) => {
    const { access, plan } = target;
    const before = entriesOf(await readJson(access, EGRESS_IPS));
    await fill(access, plan.listed, (number) => createRequest(`bench-list-${number}`, number));
    await createNamespaces(access, plan.namespaces);
    await fill(access, plan.listed, (number) =>
      createConfigMapRequest(number % plan.namespaces, `bench-list-${number}`),
    );
    const rows: Row[] = [];
    for (const shape of shapesOf(before + plan.listed, target))
      if (target.wants(shape.id)) rows.push(await listRow(target, shape));
    await clear(access);
    for (let number = 0; number < plan.namespaces; number++) await clear(access, configMaps(number));
    return rows;
  });
}

interface Shape {
  readonly id: string;
  readonly operation: string;
  readonly path: string;
  readonly accept?: string;
  readonly count: number;
}

function shapesOf(total: number, { plan: { listed, namespaces } }: Target): Shape[] {
  const selected = `${EGRESS_IPS}?labelSelector=${ONE_IN_TEN}`;
  const kinds = `${listed} ConfigMaps`;
  return [
    {
      id: "list/json",
      operation: `list ${total} EgressIPs`,
      path: EGRESS_IPS,
      count: total,
    },
    {
      id: "list/table",
      operation: `list ${total} EgressIPs as Table`,
      path: EGRESS_IPS,
      accept: TABLE,
      count: total,
    },
    {
      id: "list/label",
      operation: "list one in ten by label",
      path: selected,
      count: listed / 10,
    },
    {
      id: "list/namespace",
      operation: `list one of ${namespaces} namespaces of ${kinds}`,
      path: configMaps(0),
      count: Math.ceil(listed / namespaces),
    },
    {
      id: "list/page",
      operation: `list one page of ${PAGE}`,
      path: `${EGRESS_IPS}?limit=${PAGE}`,
      count: Math.min(PAGE, total),
    },
  ];
}

async function listRow(
  { plan, access, raw }: Target,
  { id, operation, path, accept = JSON_TYPE, count }: Shape,
): Promise<Row> {
  const found = entriesOf(await readJson(access, path, accept));
  if (found !== count) throw new Error(`GET ${path} has ${found} entries, not ${count}`);
  return await withConnections(access, 1, async ([ours]) =>
    withConnections(raw, 1, async ([bare]) => {
      const request = requestBytes("GET", path, { accept });
      const bytes = await sizeOf(ours, request);
      const rawRequest = requestBytes("GET", `/bytes/${bytes}`);
      const result = await compare(
        plan,
        () => metered(access.pid, () => lists(ours, request, plan.lists)),
        () => metered(raw.pid, () => lists(bare, rawRequest, plan.lists)),
      );
      return { id, operation, clients: 1, bytes, ...result, raw: RAW_HTTP };
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

function entriesOf(list: unknown): number {
  const { items, rows } = list as { items?: unknown[]; rows?: unknown[] }; // a list or a Table
  return (items ?? rows ?? []).length;
}
