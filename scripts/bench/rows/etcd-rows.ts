// A server whose store is in an etcd: writes compared with puts into another etcd of the same version, reads and watches
// compared with a server on LevelDB.
import { Etcd, etcdProblem } from "../../../test/support/etcd.ts";
import { CACHED, cachedGetLoad, createLoad, EGRESS_IPS, getLoad } from "../client/egress-ips.ts";
import { requestBytes } from "../client/http-connection.ts";
import { loadsOf } from "../load/loads-of.ts";
import { compare, type Limits } from "../measure.ts";
import type { Bench, Target } from "../plan.ts";
import { type RawEtcd, startRawEtcd } from "../raw/raw-etcd-process.ts";
import type { Row } from "../report/row.ts";
import { processRows } from "./etcd-process-rows.ts";
import { prepared } from "./object-rows.ts";
import { preparedWatch, watchTurn } from "./watch-rows.ts";

const RAW_PUTS = "puts into an etcd of the same kind";
const BY_LEVEL = "the same of a server on LevelDB";
const LIST = requestBytes("GET", EGRESS_IPS);
const LIST_CACHED = requestBytes("GET", `${EGRESS_IPS}?${CACHED}`);

interface Read {
  readonly id: string;
  readonly operation: string;
  readonly text: string;
  readonly clients: readonly number[];
}

export async function etcdRows(bench: Bench): Promise<Row[]> {
  const problem = etcdProblem();
  if (problem !== undefined) {
    process.stderr.write(`no rows of etcd: ${problem}\n`);
    return [];
  }
  return [...(await oneProcess(bench)), ...(await processRows(bench))];
}

async function oneProcess(bench: Bench): Promise<Row[]> {
  const [store, rawStore] = [await Etcd.start(), await Etcd.start()];
  try {
    await using raw = startRawEtcd(rawStore.endpoint);
    return await bench.withServer(
      (onEtcd) => bench.withServer((onLevel) => new EtcdRows(onEtcd, onLevel, raw).all()),
      ["--store", `etcd://${store.endpoint}`],
    );
  } finally {
    await Promise.all([store.stop(), rawStore.stop()]);
  }
}

class EtcdRows {
  readonly #onEtcd: Target;
  readonly #onLevel: Target;
  readonly #raw: RawEtcd;

  constructor(onEtcd: Target, onLevel: Target, raw: RawEtcd) {
    this.#onEtcd = onEtcd;
    this.#onLevel = onLevel;
    this.#raw = raw;
  }

  async all(): Promise<Row[]> {
    const bytes = await prepared(this.#onEtcd);
    await prepared(this.#onLevel);
    const { clients } = this.#onEtcd.plan;
    const rows = await this.#reads([
      { id: "get", operation: "get EgressIP", text: getLoad(), clients },
      { id: "get-cached", operation: `get EgressIP, ${CACHED}`, text: cachedGetLoad(), clients },
      { id: "list", operation: "list EgressIPs", text: LIST, clients: [1] },
      { id: "list-cached", operation: `list EgressIPs, ${CACHED}`, text: LIST_CACHED, clients: [1] },
    ]);
    rows.push(...(await this.#watches()), ...(await this.#creates(bytes)));
    return rows;
  }

  async #reads(reads: readonly Read[]): Promise<Row[]> {
    const { plan, wants } = this.#onEtcd;
    const rows: Row[] = [];
    for (const { id, operation, text, clients } of reads) {
      const [ours, level] = [loadsOf(this.#onEtcd, text), loadsOf(this.#onLevel, text)];
      for (const count of clients) {
        if (!wants(`etcd/${id}/${count}`)) continue;
        await ours(count, plan.warmUp);
        if (!plan.alone) await level(count, plan.warmUp);
        const result = await compare(
          plan,
          () => ours(count, plan.reads),
          () => level(count, plan.reads),
        );
        rows.push(this.#row(`${id}/${count}`, operation, count, { ...result, raw: BY_LEVEL }));
      }
    }
    return rows;
  }

  /** Changes at a rate that both servers sustain, so that delay and processor time differ. */
  async #watches(): Promise<Row[]> {
    const { plan, wants } = this.#onEtcd;
    const [pace] = plan.paces;
    if (pace === undefined || !wants(`etcd/watch/${pace.watchers}`)) return [];
    const turns = { rounds: plan.streamRounds, alone: plan.alone };
    const [ours, level] = [await preparedWatch(this.#onEtcd), await preparedWatch(this.#onLevel)];
    const result = await compare(
      turns,
      () => watchTurn(this.#onEtcd, pace, ours),
      () => watchTurn(this.#onLevel, pace, level),
    );
    const [id, operation] = [`watch/${pace.watchers}`, `watch: ${pace.perSecond} changes per second`];
    const row = this.#row(id, `${operation}, deliveries`, pace.watchers, { ...result, raw: BY_LEVEL });
    return [{ ...row, generator: "node" }];
  }

  async #creates(valueBytes: number): Promise<Row[]> {
    const { plan, wants } = this.#onEtcd;
    const create = loadsOf(this.#onEtcd, createLoad());
    const rows: Row[] = [];
    for (const writers of plan.clients) {
      if (!wants(`etcd/create/${writers}`)) continue;
      const puts = (limits: Limits) => this.#raw.puts({ writers, valueBytes, limits });
      const warmUp = { ...plan.warmUp, countMax: plan.writes.countMax };
      await create(writers, warmUp);
      if (!plan.alone) await puts(warmUp);
      const result = await compare(
        plan,
        () => create(writers, plan.writes),
        () => puts(plan.writes),
      );
      rows.push(this.#row(`create/${writers}`, "create EgressIP", writers, { ...result, raw: RAW_PUTS }));
    }
    return rows;
  }

  #row(id: string, operation: string, clients: number, rest: Partial<Row>): Row {
    const generator = this.#onEtcd.generator.for(this.#onEtcd.access).name;
    return { id: `etcd/${id}`, operation: `etcd: ${operation}`, clients, generator, ...rest };
  }
}
