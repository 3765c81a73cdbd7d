// Single objects: create, get, merge patch, delete, each beside what its bottleneck alone can do.
import {
  clear,
  createRequest,
  deleteRequest,
  EGRESS_IPS,
  getRequest,
  markRequest,
  workers,
} from "./egress-ips.ts";
import { requestBytes, withConnections } from "./http-connection.ts";
import { compare, measure } from "./measure.ts";
import type { Target } from "./plan.ts";
import { rawCommits } from "./raw/raw-level.ts";
import type { Row } from "./report.ts";

const RAW_COMMITS = "level, sync: true, writers share batches";
const RAW_COMMITS_ONE = "level, sync: true, one write per batch";
const RAW_HTTP = "bare fastify, same bytes";

export async function objectRows(target: Target): Promise<Row[]> {
  const { plan, url } = target;
  await warmUp(target);
  const bytes = await objectBytes(url);
  const created: string[] = [];
  const rows: Row[] = [];
  for (const clients of plan.clients) rows.push(await createRow(target, clients, bytes, created));
  for (const clients of plan.clients) rows.push(await getRow(target, clients, bytes, created[0] ?? ""));
  for (const clients of plan.clients) rows.push(await patchRow(target, clients, bytes, created));
  rows.push(await deleteRow(target, 16, bytes, created));
  await clear(url);
  return rows;
}

/** What is measured is a server that has been at work for a while. */
async function warmUp({ plan, url }: Target): Promise<void> {
  const names = Array.from({ length: plan.writes.countMax }, (_, number) => `bench-warm-${number}`);
  const limits = { msMax: 2 * plan.writes.msMax, countMax: names.length };
  await withConnections(url, 16, async (all) => {
    const nameOf = (number: number) => names[number] ?? "";
    await measure(
      workers(all, 201, (number) => createRequest(nameOf(number), number)),
      limits,
    );
    await measure(
      workers(all, 200, () => getRequest(nameOf(0))),
      limits,
    );
    await measure(
      workers(all, 200, (number, worker) => markRequest(nameOf(worker), number)),
      limits,
    );
  });
  await clear(url);
}

/** The size of one object as a GET answers it. */
async function objectBytes(url: string): Promise<number> {
  const name = "bench-size";
  return await withConnections(url, 1, async ([connection]) => {
    await connection?.send(createRequest(name, 0));
    const answer = await connection?.send(requestBytes("GET", `${EGRESS_IPS}/${name}`));
    await connection?.send(deleteRequest(name));
    if (answer?.status !== 200)
      throw new Error(`GET of a created EgressIP was answered with ${answer?.status}`);
    return answer.bodyBytes;
  });
}

async function createRow(
  { plan, url, folder }: Target,
  clients: number,
  bytes: number,
  created: string[],
): Promise<Row> {
  const result = await compare(
    plan.rounds,
    () =>
      withConnections(url, clients, (connections) => {
        const request = () => {
          const name = `bench-${created.length}`;
          created.push(name);
          return createRequest(name, created.length);
        };
        return measure(workers(connections, 201, request), plan.writes);
      }),
    () => rawCommits(folder, clients, bytes, plan.writes),
  );
  return {
    operation: "create EgressIP",
    clients,
    ...result,
    raw: clients === 1 ? RAW_COMMITS_ONE : RAW_COMMITS,
  };
}

async function getRow(
  { plan, url, rawUrl }: Target,
  clients: number,
  bytes: number,
  name: string,
): Promise<Row> {
  const ours = getRequest(name);
  const raw = requestBytes("GET", `/bytes/${bytes}`);
  const result = await compare(
    plan.rounds,
    () =>
      withConnections(url, clients, (all) =>
        measure(
          workers(all, 200, () => ours),
          plan.reads,
        ),
      ),
    () =>
      withConnections(rawUrl, clients, (all) =>
        measure(
          workers(all, 200, () => raw),
          plan.reads,
        ),
      ),
  );
  return { operation: `get EgressIP (${bytes} bytes)`, clients, ...result, raw: RAW_HTTP };
}

/** Each client has its object, so that none waits for another's. */
async function patchRow(
  { plan, url, folder }: Target,
  clients: number,
  bytes: number,
  created: readonly string[],
): Promise<Row> {
  let seq = 0;
  const request = (_number: number, worker: number) => markRequest(created[worker] ?? "", seq++);
  const result = await compare(
    plan.rounds,
    () => withConnections(url, clients, (all) => measure(workers(all, 200, request), plan.writes)),
    () => rawCommits(folder, clients, bytes, plan.writes),
  );
  return {
    operation: "merge patch EgressIP",
    clients,
    ...result,
    raw: clients === 1 ? RAW_COMMITS_ONE : RAW_COMMITS,
  };
}

async function deleteRow(
  { plan, url, folder }: Target,
  clients: number,
  bytes: number,
  created: string[],
): Promise<Row> {
  const result = await compare(
    1,
    () =>
      withConnections(url, clients, (connections) => {
        const request = () => deleteRequest(created.pop() ?? "");
        const limits = { msMax: plan.writes.msMax, countMax: Math.min(plan.writes.countMax, created.length) };
        return measure(workers(connections, 200, request), limits);
      }),
    () => rawCommits(folder, clients, bytes, plan.writes),
  );
  return { operation: "delete EgressIP", clients, ...result, raw: RAW_COMMITS };
}
