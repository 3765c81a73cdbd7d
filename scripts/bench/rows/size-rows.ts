// The cost of one operation among few or many objects, their memory, and how soon a server that starts with them answers.
// Servers of every size run at the same time and are measured alternately, so that a short load on the machine affects all
// of them. On a server that the bench has not started, one size follows the other.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { EgretProcess } from "../../../test/support/egret-process.ts";
import {
  clear,
  createRequest,
  deleteRequest,
  EGRESS_IPS,
  getRequest,
  markRequest,
  workers,
} from "../client/egress-ips.ts";
import { fill } from "../client/fill.ts";
import { withConnections } from "../client/http-connection.ts";
import { ask, type ServerAccess } from "../client/server-access.ts";
import { inTurns, measure, resultOf, type Sample } from "../measure.ts";
import { atRest, rssMegabytes } from "../memory.ts";
import { API_ALONE, start } from "../own-server.ts";
import type { Bench, Plan } from "../plan.ts";
import { metered } from "../process-time.ts";
import { rawLoad } from "../raw/raw-level.ts";
import type { Row } from "../report/row.ts";

const CLIENTS = 16;
/** No divisor of a size, so that successive objects are not neighbours. */
const STRIDE = 7919;
const OPERATIONS = ["get", "create", "patch"] as const;
type Operation = (typeof OPERATIONS)[number];

interface Sized {
  readonly size: number;
  readonly access: ServerAccess;
}

interface OwnSized extends Sized {
  readonly egret: EgretProcess;
  readonly dataDir: string;
}

export async function sizeRows(bench: Bench): Promise<Row[]> {
  return bench.own
    ? await ownSizes(bench)
    : await bench.withServer(({ plan, access }) => growingServer(plan, access));
}

async function growingServer(plan: Plan, access: ServerAccess): Promise<Row[]> {
  const rows: Row[] = [];
  let there = 0;
  for (const size of plan.sizes) {
    const from = there;
    await fill(access, size - from, (number) => createRequest(nameOf(from + number), from + number));
    there = size;
    rows.push(...(await operationRows(plan, [{ size, access }])));
  }
  await clear(access);
  return rows;
}

async function ownSizes({ plan, folder }: Bench): Promise<Row[]> {
  const servers: OwnSized[] = [];
  const memory: Row[] = [];
  try {
    for (const size of plan.sizes) {
      const dataDir = await mkdtemp(join(folder, "size-"));
      const { egret, access } = await start(dataDir, API_ALONE);
      servers.push({ size, access, egret, dataDir });
      await fill(access, size, (number) => createRequest(nameOf(number), number));
      memory.push(
        await memoryRow(`memory/${size}`, `memory with ${size} EgressIPs`, egret.pid, access, size),
      );
    }
    const reopened = await reopenRows(servers);
    const rows = await operationRows(plan, servers);
    return [...rows, ...memory.slice(1), ...reopened];
  } finally {
    for (const { egret } of servers) await egret.stop("SIGKILL");
  }
}

/** Extrapolated from the size of a page: a list of a million objects is longer than a string can be. */
async function listMegabytes(access: ServerAccess, count: number): Promise<number> {
  const page = Math.min(count, 1000);
  const { text } = await ask(access, `${EGRESS_IPS}?limit=${page}`);
  return (Buffer.byteLength(text) * count) / page / 1e6;
}

async function memoryRow(
  id: string,
  operation: string,
  pid: number,
  access: ServerAccess,
  count: number,
): Promise<Row> {
  await atRest(pid);
  const value = rssMegabytes(pid);
  const rawValue = await listMegabytes(access, count);
  return {
    id,
    operation,
    value,
    unit: "MB",
    rawValue,
    raw: "the objects as one list in JSON",
  };
}

/** Replaces the largest server by one that starts on its folder, whose memory then holds only the loaded objects. */
async function reopenRows(servers: OwnSized[]): Promise<Row[]> {
  const biggest = servers.at(-1);
  if (biggest === undefined) return [];
  const { size, dataDir } = biggest;
  await biggest.egret.stop();
  const rawValue = await rawLoad(dataDir);
  const { egret, access, ms } = await start(dataDir, API_ALONE);
  servers.splice(-1, 1, { size, access, egret, dataDir });
  const memory = await memoryRow(
    `memory/${size}/reopened`,
    `memory with ${size} EgressIPs, reopened`,
    egret.pid,
    access,
    size,
  );
  return [
    memory,
    {
      id: `reopen/${size}`,
      operation: `start to first answer on ${size} EgressIPs`,
      value: ms,
      unit: "ms",
      rawValue,
      raw: "level alone reading every record",
    },
  ];
}

/** All servers alternately, one operation after the other. */
async function operationRows(plan: Plan, servers: readonly Sized[]): Promise<Row[]> {
  const rows: Row[] = [];
  const seqs = { next: 1 };
  for (const operation of OPERATIONS) {
    const contenders = servers.map((server) => () => sampleOf(plan, operation, server, seqs));
    await inTurns(1, contenders); // the first time is slower on every server
    const samples = await inTurns(plan.rounds, contenders);
    const first = resultOf(samples[0] ?? []).perSecond;
    for (const [index, { size }] of servers.entries()) {
      const result = resultOf(samples[index] ?? []);
      const limit =
        index === 0
          ? {}
          : {
              rawPerSecond: first,
              raw: `the same while ${servers[0]?.size} are there`,
            };
      rows.push({
        id: `size/${operation}/${size}`,
        operation: `${operation} while ${size} EgressIPs are there`,
        clients: CLIENTS,
        ...result,
        ...limit,
      });
    }
  }
  return rows;
}

const nameOf = (number: number): string => `bench-size-${number}`;

async function sampleOf(
  plan: Plan,
  operation: Operation,
  { size, access }: Sized,
  seqs: { next: number },
): Promise<Sample> {
  const nextName = () => nameOf((seqs.next++ * STRIDE) % size);
  return await withConnections(access, CLIENTS, async (all) => {
    if (operation === "get")
      return await metered(access.pid, () =>
        measure(
          workers(all, 200, () => getRequest(nextName())),
          plan.reads,
        ),
      );
    if (operation === "patch")
      return await metered(access.pid, () =>
        measure(
          workers(all, 200, () => markRequest(nextName(), seqs.next)),
          plan.writes,
        ),
      );
    const limits = { msMax: plan.writes.msMax, countMax: plan.createdAtSize };
    const made = (number: number) => `bench-more-${number}`;
    const sample = await metered(access.pid, () =>
      measure(
        workers(all, 201, (number) => createRequest(made(number), number)),
        limits,
      ),
    );
    const remove = workers(all, 200, (number) => deleteRequest(made(number)));
    await measure(remove, {
      msMax: Number.POSITIVE_INFINITY,
      countMax: sample.count,
    });
    return sample;
  });
}
