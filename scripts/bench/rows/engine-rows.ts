// The EgressIP controller: one EgressIP after the other, then many nodes and many EgressIPs at once, and a drained node.
// The times at size run from the answer to the last request to the event that assigns the last address.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { clear, createRequest, EGRESS_IPS, workers } from "../client/egress-ips.ts";
import { withConnections } from "../client/http-connection.ts";
import { createNodes, drainNode, nodeName } from "../client/nodes.ts";
import { open, readJson, type ServerAccess } from "../client/server-access.ts";
import { WatchStream } from "../client/watch-stream.ts";
import { compare, measure, rateOf, type Sample, sampleOf } from "../measure.ts";
import { start } from "../own-server.ts";
import type { Bench, Plan } from "../plan.ts";
import { metered } from "../process-time.ts";
import { rawCommits } from "../raw/raw-level.ts";
import type { Row } from "../report/row.ts";

const CLIENTS = 16;
const SETTLED_MS_MAX = 60_000;
const FEW_NODES = 20;
const STATUS_BYTES = 1000;
const RAW = "level, as many synced writes in shared batches";

interface Watched {
  readonly type: string;
  readonly object: {
    metadata: { name: string };
    status?: { items?: readonly { node: string }[] };
  };
}

export async function engineRows({ plan, folder }: Bench): Promise<Row[]> {
  const { egret, access } = await start(await mkdtemp(join(folder, "engine-")), [
    "--controllers",
    "egressip",
  ]);
  await using _running = egret;
  const one = await assignmentRow(access, plan.assigned, folder);
  return [one, ...(await rowsAtSize(access, plan, folder))];
}

async function rowsAtSize(access: ServerAccess, { engine }: Plan, folder: string): Promise<Row[]> {
  await createNodes(access, engine.nodes);
  await using hosts = await Hosts.watch(access);
  const createdAt = await createAll(access, engine.egressIps);
  const assignedMs = (await hosts.settled((all) => countHosted(all) === engine.egressIps)) - createdAt;
  const drained = nodeName(1);
  const moving = [...hosts.all.values()].filter((node) => node === drained).length;
  await drainNode(access, 1);
  const drainedAt = performance.now();
  const done = (all: Hosts["all"]) => countHosted(all) === engine.egressIps && !hostedBy(all, drained);
  const movedMs = Math.max(0, (await hosts.settled(done)) - drainedAt);
  await clear(access);
  const raw = await rawCommits(folder, CLIENTS, STATUS_BYTES, {
    msMax: SETTLED_MS_MAX,
    countMax: engine.egressIps,
  });
  const size = `${engine.nodes} nodes, ${engine.egressIps} EgressIPs`;
  return [
    {
      id: "engine/assigned",
      operation: `last create to all assigned, ${size}`,
      value: Math.max(0, assignedMs),
      unit: "ms",
      rawValue: (1000 * engine.egressIps) / rateOf(raw),
      raw: RAW,
    },
    {
      id: "engine/drained",
      operation: "a node drained to its addresses moved",
      clients: moving,
      value: movedMs,
      unit: "ms",
    },
  ];
}

/** Returns when the last of them was answered. */
async function createAll(access: ServerAccess, count: number): Promise<number> {
  await withConnections(access, CLIENTS, (connections) =>
    measure(
      workers(connections, 201, (number) => createRequest(`bench-${number}`, number)),
      { msMax: SETTLED_MS_MAX, countMax: count },
    ),
  );
  return performance.now();
}

const countHosted = (all: Hosts["all"]): number =>
  [...all.values()].filter((node) => node !== undefined).length;

const hostedBy = (all: Hosts["all"], name: string): boolean => [...all.values()].includes(name);

/** The node of each EgressIP, kept up to date by a watch. */
class Hosts implements AsyncDisposable {
  readonly all = new Map<string, string | undefined>();
  readonly #body: NodeJS.ReadableStream & { destroy(): void };
  readonly #ended: Promise<void>;
  #look: (() => void) | undefined;

  private constructor(body: NodeJS.ReadableStream & { destroy(): void }) {
    this.#body = body;
    this.#ended = this.#read().catch(() => {});
  }

  static async watch(access: ServerAccess): Promise<Hosts> {
    return new Hosts(await open(access, `${EGRESS_IPS}?watch=true`));
  }

  /** Returns the time of the event with which the condition became true. */
  settled(isSo: (all: Hosts["all"]) => boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      const tooLong = setTimeout(() => reject(new Error("the engine has not settled")), SETTLED_MS_MAX);
      this.#look = () => {
        if (!isSo(this.all)) return;
        clearTimeout(tooLong);
        this.#look = undefined;
        resolve(performance.now());
      };
      this.#look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#body.destroy();
    await this.#ended;
  }

  async #read(): Promise<void> {
    let text = "";
    this.#body.setEncoding("utf8");
    for await (const part of this.#body) {
      const lines = (text + part).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line));
      this.#look?.();
    }
  }

  #take({ type, object }: Watched): void {
    const { name } = object.metadata;
    if (type === "DELETED") this.all.delete(name);
    else this.all.set(name, object.status?.items?.[0]?.node);
  }
}

/** Creates an EgressIP; its second event is the one that assigns its address to a node. */
async function assignmentRow(access: ServerAccess, count: number, folder: string): Promise<Row> {
  await createNodes(access, FEW_NODES);
  const result = await compare({ rounds: 1, alone: true }, () =>
    metered(access.pid, () => assignments(access, count)),
  );
  const { items } = (await readJson(access, EGRESS_IPS)) as {
    items: { status?: { items: unknown[] } }[];
  };
  const left = items.filter(({ status }) => status?.items.length !== 1).length;
  if (left > 0) throw new Error(`${left} EgressIPs have no node`);
  await clear(access);
  for (let number = 1; number <= FEW_NODES; number++) await removeNode(access, number);
  const operation = `EgressIP created to assigned, ${FEW_NODES} nodes`;
  const raw = await rawCommits(folder, 1, STATUS_BYTES, {
    msMax: SETTLED_MS_MAX,
    countMax: 2 * count,
  });
  const limit = {
    rawPerSecond: rateOf(raw) / 2,
    raw: "level, two synced writes one after the other",
  };
  return { id: "engine/one", operation, clients: 1, ...result, ...limit };
}

async function removeNode(access: ServerAccess, number: number): Promise<void> {
  (
    await open(access, `/api/v1/nodes/${nodeName(number)}`, {
      method: "DELETE",
    })
  ).resume();
}

async function assignments(access: ServerAccess, count: number): Promise<Sample> {
  const waiting = new Map<number, { events: number; done(): void }>();
  const onSeq = (seq: number) => {
    const entry = waiting.get(seq);
    if (entry !== undefined && ++entry.events === 2) entry.done();
  };
  const stream = await WatchStream.open(access, `${EGRESS_IPS}?watch=true`, onSeq);
  try {
    return await withConnections(access, 1, async (connections) => {
      const [create] = workers(connections, 201, (n) => createRequest(`bench-assigned-${n}`, n, { seq: n }));
      const from = performance.now();
      const step = async (number: number) => {
        const assigned = new Promise<void>((done) => waiting.set(number, { events: 0, done }));
        await create?.(number);
        await assigned;
      };
      const sample = await measure([step], {
        msMax: SETTLED_MS_MAX,
        countMax: count,
      });
      return sampleOf(sample.delaysMs, performance.now() - from);
    });
  } finally {
    stream.close();
  }
}
