// Explanations, traces and plans of a large cluster: 500 nodes with 5,000 EgressIPs. Each tenant has an EgressIP; some
// also have a namespace with pods. The server caches what it has read for the next request, so the first request after a
// change is measured separately.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { EGRESS_IPS, MERGE_BODY } from "../client/egress-ips.ts";
import { createNodes, nodeName } from "../client/nodes.ts";
import { askWell, readJson, type ServerAccess } from "../client/server-access.ts";
import { median, percentile } from "../measure.ts";
import { start } from "../own-server.ts";
import type { Bench, Plan } from "../plan.ts";
import type { Row } from "../report/row.ts";

const PODS_PER_TENANT = 2;
const IMPORTED_AT_ONCE = 1000;

export async function verdictRows({ plan, folder }: Bench): Promise<Row[]> {
  const { egret, access } = await start(await mkdtemp(join(folder, "verdicts-")));
  await using _running = egret;
  await fill(access, plan);
  const { nodes, egressIps } = plan.engine;
  const size = `${nodes} nodes, ${egressIps} EgressIPs`;
  const ask = (path: string, body: object) => () =>
    askWell(access, `/egret/v1/${path}`, { method: "POST", body });
  const questions = [
    ["explain", "explain an EgressIP", ask("explain", { kind: "egressip", name: nameOf(1) })],
    ["trace", "trace a packet", ask("trace", { ...POD, to: "8.8.8.8:443" })],
    ["plan", "plan of a node's death", ask("plan", { changes: [{ delete: `node/${nodeName(1)}` }] })],
  ] as const;
  const rows: Row[] = [];
  for (const [id, what, question] of questions) {
    await question(); // the first request loads the code
    const first = await msOfEach(plan.verdicts, question, (number) => touch(access, number));
    const again = await msOfEach(plan.verdicts, question);
    const operation = `${what}, ${size}`;
    rows.push(
      { id: `verdict/${id}/first`, operation: `${operation}, first after a change`, ...first },
      { id: `verdict/${id}/again`, operation: `${operation}, again`, ...again },
    );
  }
  return rows;
}

const nameOf = (tenant: number): string => `bench-${tenant}`;
const POD = { namespace: nameOf(1), pod: "pod-0" };

async function msOfEach(
  count: number,
  question: () => Promise<unknown>,
  before: (number: number) => Promise<unknown> = async () => {},
): Promise<Pick<Row, "value" | "unit" | "p50Ms" | "p99Ms">> {
  const took: number[] = [];
  for (let number = 0; number < count; number++) {
    await before(number);
    const from = performance.now();
    await question();
    took.push(performance.now() - from);
  }
  const sorted = took.sort((a, b) => a - b);
  return {
    value: median(sorted),
    unit: "ms",
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  };
}

/** Changes an EgressIP that is not part of the request. */
const touch = (access: ServerAccess, number: number): Promise<unknown> =>
  askWell(access, `${EGRESS_IPS}/${nameOf(0)}`, {
    method: "PATCH",
    headers: MERGE_BODY,
    body: { metadata: { labels: { touched: String(number) } } },
  });

/** Imports nodes, EgressIPs and their tenants, and waits until each EgressIP is assigned. */
async function fill(access: ServerAccess, { engine, tenants }: Plan): Promise<void> {
  await createNodes(access, engine.nodes);
  const numbers = Array.from({ length: engine.egressIps }, (_, number) => number);
  const objects = [...numbers.slice(0, tenants).flatMap(tenantObjects), ...numbers.map(egressIpOf)];
  for (let from = 0; from < objects.length; from += IMPORTED_AT_ONCE) {
    const body = { apiVersion: "v1", kind: "List", items: objects.slice(from, from + IMPORTED_AT_ONCE) };
    await askWell(access, "/egret/v1/import?status=true", { method: "POST", body });
  }
  await askWell(access, "/egret/v1/clock/settle", { method: "POST", body: {} });
  const { items } = (await readJson(access, EGRESS_IPS)) as { items: { status?: { items: unknown[] } }[] };
  const left = items.filter(({ status }) => status?.items.length !== 1).length;
  if (left > 0) throw new Error(`${left} EgressIPs have no node`);
}

const egressIpOf = (tenant: number): object => ({
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressIP",
  metadata: { name: nameOf(tenant) },
  spec: {
    egressIPs: [`10.1.${Math.floor(tenant / 250)}.${(tenant % 250) + 1}`],
    namespaceSelector: { matchLabels: { tenant: nameOf(tenant) } },
  },
});

const tenantObjects = (tenant: number): object[] => [
  {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: nameOf(tenant), labels: { tenant: nameOf(tenant) } },
  },
  ...Array.from({ length: PODS_PER_TENANT }, (_, pod) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${pod}`, namespace: nameOf(tenant) },
    spec: { nodeName: nodeName(pod + 1), containers: [{ name: "c", image: "i" }] },
    status: {
      phase: "Running",
      podIPs: [{ ip: `10.128.${Math.floor(tenant / 100)}.${(tenant % 100) * 2 + pod + 1}` }],
    },
  })),
];
