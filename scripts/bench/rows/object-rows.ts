// Single objects: create, get, merge patch, apply, status update and delete, each beside what its bottleneck alone can do.
import {
  applyRequest,
  clear,
  createRequest,
  deleteRequest,
  EGRESS_IPS,
  getRequest,
  markRequest,
  statusRequest,
  workers,
} from "../client/egress-ips.ts";
import { type HttpConnection, requestBytes, withConnections } from "../client/http-connection.ts";
import { compare, measure, type Step } from "../measure.ts";
import type { Bench, Target } from "../plan.ts";
import { rawCommits } from "../raw/raw-level.ts";
import type { Row } from "../report/row.ts";

const RAW_COMMITS = "level, sync: true, writers share batches";
const RAW_COMMITS_ONE = "level, sync: true, one write per batch";
const LEAST_CREATE = "a POST to bare fastify that puts as much into LevelDB";
export const RAW_HTTP = "bare fastify, same bytes";

export function objectRows(bench: Bench): Promise<Row[]> {
  return bench.withServer(async (target) => {
    await warmUp(target);
    const rows = new ObjectRows(target, await objectBytes(target));
    return await rows.all();
  });
}

/** What is measured is a server that has been at work for a while. */
async function warmUp({ plan, access }: Target): Promise<void> {
  const names = Array.from({ length: plan.writes.countMax }, (_, number) => `bench-warm-${number}`);
  const limits = { msMax: plan.rounds * plan.writes.msMax, countMax: names.length };
  await withConnections(access, 16, async (all) => {
    const nameOf = (number: number) => names[number] ?? "";
    const create = (number: number) => createRequest(nameOf(number), number);
    await measure(workers(all, 201, create), limits);
    await measure(
      workers(all, 200, () => getRequest(nameOf(0))),
      limits,
    );
    const mark = (number: number, worker: number) => markRequest(nameOf(worker), number);
    await measure(workers(all, 200, mark), limits);
  });
  await clear(access);
}

/** The size of one object as a GET answers it. */
async function objectBytes({ access }: Target): Promise<number> {
  const name = "bench-size";
  return await withConnections(access, 1, async ([connection]) => {
    await connection?.send(createRequest(name, 0));
    const answer = await connection?.send(requestBytes("GET", `${EGRESS_IPS}/${name}`));
    await connection?.send(deleteRequest(name));
    if (answer?.status !== 200)
      throw new Error(`GET of a created EgressIP was answered with ${answer?.status}`);
    return answer.bodyBytes;
  });
}

/** Each client changes an object of its own, so that none waits for another's. */
class ObjectRows {
  readonly #target: Target;
  readonly #bytes: number;
  readonly #created: string[] = [];
  #seq = 1;

  constructor(target: Target, bytes: number) {
    this.#target = target;
    this.#bytes = bytes;
  }

  async all(): Promise<Row[]> {
    const { plan, access } = this.#target;
    const rows: Row[] = [];
    const each = async (row: (clients: number) => Promise<Row>) => {
      for (const clients of plan.clients) rows.push(await row(clients));
    };
    await each((clients) => this.#create(clients));
    await each((clients) => this.#leastCreate(clients));
    await each((clients) => this.#get(clients));
    const nameOf = (worker: number) => this.#created[worker] ?? "";
    await each((clients) =>
      this.#writes("patch", "merge patch EgressIP", clients, (all) =>
        workers(all, 200, (_number, worker) => markRequest(nameOf(worker), this.#seq++)),
      ),
    );
    await each((clients) =>
      this.#writes("apply", "server-side apply EgressIP", clients, (all) =>
        workers(all, 200, (_number, worker) => applyRequest(nameOf(worker), worker, this.#seq++)),
      ),
    );
    await each((clients) =>
      this.#writes("status", "status update EgressIP", clients, (all) => this.#statusSteps(all)),
    );
    rows.push(await this.#delete(16));
    await clear(access);
    return rows;
  }

  #create(clients: number): Promise<Row> {
    const request = () => {
      const name = `bench-${this.#created.length}`;
      this.#created.push(name);
      return createRequest(name, this.#created.length);
    };
    return this.#writes("create", "create EgressIP", clients, (all) => workers(all, 201, request));
  }

  /** The same bytes read, put on the disk and answered by fastify and LevelDB, and nothing done with them. */
  async #leastCreate(clients: number): Promise<Row> {
    const request = createRequest("bench-least", 0).replace(EGRESS_IPS, `/commit/${this.#bytes}`);
    const steps = (all: readonly HttpConnection[]) => workers(all, 201, () => request);
    return this.#writes("least", LEAST_CREATE, clients, steps, this.#target.raw);
  }

  async #get(clients: number): Promise<Row> {
    const { plan, access, raw } = this.#target;
    const ours = getRequest(this.#created[0] ?? "");
    const bytes = requestBytes("GET", `/bytes/${this.#bytes}`);
    const reads = (server: Target["access"], request: string) => () =>
      withConnections(server, clients, (all) =>
        measure(
          workers(all, 200, () => request),
          plan.reads,
        ),
      );
    const result = await compare(plan.rounds, reads(access, ours), reads(raw, bytes));
    const operation = `get EgressIP (${this.#bytes} bytes)`;
    return {
      id: `get/${clients}`,
      operation,
      clients,
      ...result,
      raw: RAW_HTTP,
    };
  }

  async #writes(
    id: string,
    operation: string,
    clients: number,
    steps: (connections: readonly HttpConnection[]) => Step[],
    server: Target["access"] = this.#target.access,
  ): Promise<Row> {
    const { plan, folder } = this.#target;
    const result = await compare(
      plan.rounds,
      () => withConnections(server, clients, (all) => measure(steps(all), plan.writes)),
      () => rawCommits(folder, clients, this.#bytes, plan.writes),
    );
    const raw = clients === 1 ? RAW_COMMITS_ONE : RAW_COMMITS;
    return { id: `${id}/${clients}`, operation, clients, ...result, raw };
  }

  /** As controllers do it: with the object as the last answer had it. */
  #statusSteps(connections: readonly HttpConnection[]): Step[] {
    return connections.map((connection, worker) => {
      const name = this.#created[worker] ?? "";
      let object: Record<string, unknown> | undefined;
      const send = async (request: string) => {
        const { status, text } = await connection.send(request, true);
        if (status !== 200) throw new Error(`a status update was answered with ${status}: ${text}`);
        object = JSON.parse(text);
      };
      return async () => {
        if (object === undefined) await send(getRequest(name));
        await send(statusRequest(name, object ?? {}, this.#seq++));
      };
    });
  }

  async #delete(clients: number): Promise<Row> {
    const { plan, access, folder } = this.#target;
    const countMax = Math.min(plan.writes.countMax, this.#created.length);
    const request = () => deleteRequest(this.#created.pop() ?? "");
    const result = await compare(
      1,
      () =>
        withConnections(access, clients, (all) =>
          measure(workers(all, 200, request), {
            msMax: plan.writes.msMax,
            countMax,
          }),
        ),
      () => rawCommits(folder, clients, this.#bytes, plan.writes),
    );
    return {
      id: `delete/${clients}`,
      operation: "delete EgressIP",
      clients,
      ...result,
      raw: RAW_COMMITS,
    };
  }
}
