// Single objects: create, get, merge patch, apply, status update and delete, each compared with bare fastify with the same
// number of bytes and the same generator.
import {
  applyLoad,
  clear,
  createLoad,
  deleteRequest,
  EGRESS_IPS,
  getLoad,
  getRequest,
  JSON_BODY,
  loadName,
  patchLoad,
  statusRequest,
  workers,
} from "../client/egress-ips.ts";
import { fill } from "../client/fill.ts";
import { type HttpConnection, requestBytes, withConnections } from "../client/http-connection.ts";
import { filledIn, type Requests } from "../load/requests.ts";
import { compare, measure, type Sample, type Step } from "../measure.ts";
import type { Bench, Target } from "../plan.ts";
import { metered } from "../process-time.ts";
import { rawCommits } from "../raw/raw-level.ts";
import type { Row } from "../report/row.ts";

export const RAW_HTTP = "bare fastify, same bytes";
const RAW_COMMITS = "level, sync: true, writers share batches";
const RAW_COMMITS_ONE = "level, sync: true, one write per batch";
const RAW_POST = "bare fastify that puts as much into LevelDB";
const LEAST_CREATE = "a POST to bare fastify that puts as much into LevelDB";
const DELETE_CLIENTS = 16;
const MEMORY_CLIENTS = 16;

interface Verb {
  readonly id: string;
  readonly operation: string;
  readonly load: () => string;
}

const CREATE: Verb = { id: "create", operation: "create EgressIP", load: createLoad };
const GET: Verb = { id: "get", operation: "get EgressIP", load: getLoad };
const PATCH: Verb = { id: "patch", operation: "merge patch EgressIP", load: patchLoad };
const APPLY: Verb = { id: "apply", operation: "server-side apply EgressIP", load: applyLoad };

export async function objectRows(bench: Bench): Promise<Row[]> {
  const rows = await bench.withServer(async (target) => (await ObjectRows.prepare(target)).all());
  const inMemory = [PATCH, APPLY].filter(
    ({ id }) => bench.own && bench.wants(`${id}-memory/${MEMORY_CLIENTS}`),
  );
  if (inMemory.length === 0) return rows;
  return await bench.withServer(
    async (target) => {
      const memory = await ObjectRows.prepare(target);
      for (const verb of inMemory) rows.push(await memory.inMemory(verb, MEMORY_CLIENTS));
      return rows;
    },
    ["--in-memory"],
  );
}

/** The rows of one server. Each can be run alone: the first row that needs a fixture creates it. */
class ObjectRows {
  readonly #target: Target;
  /** The size of one object in the answer to a GET. */
  readonly #bytes: number;
  /** Numbers are unique, both in names and in changes. */
  #next: number;

  private constructor(target: Target, bytes: number) {
    this.#target = target;
    this.#bytes = bytes;
    this.#next = target.plan.prepared;
  }

  /** Creates the objects that are read and changed. */
  static async prepare(target: Target): Promise<ObjectRows> {
    const bytes = await prepared(target);
    return new ObjectRows(target, bytes);
  }

  async all(): Promise<Row[]> {
    const { plan, access } = this.#target;
    const rows: Row[] = [];
    const each = async (id: string, row: (clients: number) => Promise<Row>, all = plan.clients) => {
      for (const clients of all) if (this.#target.wants(`${id}/${clients}`)) rows.push(await row(clients));
    };
    await each("create", (clients) => this.#create(clients));
    await each("least", (clients) => this.#least(clients));
    await each("get", (clients) => this.#get(clients));
    await each("patch", (clients) => this.writes(PATCH, clients));
    await each("apply", (clients) => this.writes(APPLY, clients));
    await each("status", (clients) => this.#status(clients));
    await each("delete", (clients) => this.#delete(clients), [DELETE_CLIENTS]);
    await clear(access);
    return rows;
  }

  /**
   * Compared with a POST of the same body to bare fastify, which syncs as many bytes as the object has to the disk before
   * it answers.
   */
  async writes(verb: Verb, clients: number): Promise<Row> {
    const result = await this.#compared(verb, clients, this.#posted(verb.load()));
    return { id: `${verb.id}/${clients}`, operation: verb.operation, clients, ...result, raw: RAW_POST };
  }

  /** Neither Egret nor bare fastify writes to a disk. */
  async inMemory(verb: Verb, clients: number): Promise<Row> {
    const result = await this.#compared(verb, clients, this.#posted(verb.load(), "bytes"));
    const [id, operation] = [`${verb.id}-memory/${clients}`, `${verb.operation}, in memory`];
    return { id, operation, clients, ...result, raw: "bare fastify that answers with as much" };
  }

  /** Deletes the created objects, so that the next row starts with as many objects. */
  async #create(clients: number): Promise<Row> {
    const row = await this.writes(CREATE, clients);
    await clear(this.#target.access);
    await prepared(this.#target);
    return row;
  }

  async #get(clients: number): Promise<Row> {
    const result = await this.#compared(GET, clients, requestBytes("GET", `/bytes/${this.#bytes}`));
    const operation = `${GET.operation} (${this.#bytes} bytes)`;
    return { id: `get/${clients}`, operation, clients, ...result, raw: RAW_HTTP };
  }

  /** Measures a server after a longer warm-up with that operation. */
  async #compared(verb: Verb, clients: number, raw: string) {
    const { plan, access, raw: bare } = this.#target;
    const ours = verb.load();
    const warmUp = { ...plan.warmUp, countMax: plan.writes.countMax };
    await this.#load(access, ours, clients, warmUp);
    if (!plan.alone) await this.#load(bare, raw, clients, warmUp);
    const limits = verb === GET ? plan.reads : plan.writes;
    const result = await compare(
      plan,
      () => this.#load(access, ours, clients, limits),
      () => this.#load(bare, raw, clients, limits),
    );
    return { ...result, generator: this.#target.generator.for(access).name };
  }

  async #load(server: Target["access"], text: string, connections: number, limits: Target["plan"]["writes"]) {
    const { plan, generator, access } = this.#target;
    const names = text === createLoad() ? {} : { names: plan.prepared };
    const requests: Requests = { text, first: this.#next, ...names };
    const { sample, next } = await generator.for(access).load(server, requests, { connections, limits });
    this.#next = next;
    return sample;
  }

  /** The body of a request, posted to the bare server. */
  #posted(text: string, route: "commit" | "bytes" = "commit"): string {
    const body = text.slice(text.indexOf("\r\n\r\n") + 4);
    return requestBytes("POST", `/${route}/${this.#bytes}`, JSON_BODY, body);
  }

  /** The minimum: fastify and LevelDB read the same bytes, sync them to the disk and answer, without processing. */
  async #least(clients: number): Promise<Row> {
    const { plan, raw, generator } = this.#target;
    const result = await compare(
      plan,
      () => this.#load(raw, this.#posted(createLoad()), clients, plan.writes),
      () => this.#commits(clients),
    );
    const id = `least/${clients}`;
    const by = { generator: generator.for(this.#target.access).name };
    return { id, operation: LEAST_CREATE, clients, ...result, ...by, raw: commitsOf(clients) };
  }

  #commits(clients: number): Promise<Sample> {
    const { plan, folder } = this.#target;
    return rawCommits(folder, clients, this.#bytes, plan.writes);
  }

  async #status(clients: number): Promise<Row> {
    return await this.#byNode(
      { id: `status/${clients}`, operation: "status update EgressIP", clients },
      (all) => this.#statusSteps(all),
    );
  }

  /** Each client changes an object of its own, as controllers do: with the object of the last answer. */
  #statusSteps(connections: readonly HttpConnection[]): Step[] {
    return connections.map((connection, worker) => {
      const name = loadName(worker);
      let object: Record<string, unknown> | undefined;
      const send = async (request: string) => {
        const { status, text } = await connection.send(request, true);
        if (status !== 200) throw new Error(`a status update was answered with ${status}: ${text}`);
        object = JSON.parse(text);
      };
      return async () => {
        if (object === undefined) await send(getRequest(name));
        await send(statusRequest(name, object ?? {}, this.#next++));
      };
    });
  }

  async #delete(clients: number): Promise<Row> {
    const { access, plan } = this.#target;
    const first = this.#next;
    const create = filledIn({ text: createLoad() });
    await fill(access, plan.rounds * plan.deleted, (number) => create(first + number));
    return await this.#byNode(
      { id: `delete/${clients}`, operation: "delete EgressIP", clients },
      (all) => workers(all, 200, () => deleteRequest(loadName(this.#next++))),
      plan.deleted,
    );
  }

  /** Loads that depend on answers or end by themselves run in this process. */
  async #byNode(
    row: Pick<Row, "id" | "operation"> & { readonly clients: number },
    steps: (connections: readonly HttpConnection[]) => Step[],
    countMax = this.#target.plan.writes.countMax,
  ): Promise<Row> {
    const { plan, access } = this.#target;
    const result = await compare(
      plan,
      () =>
        metered(access.pid, () =>
          withConnections(access, row.clients, (all) =>
            measure(steps(all), { msMax: plan.writes.msMax, countMax }),
          ),
        ),
      () => this.#commits(row.clients),
    );
    return { ...row, ...result, generator: "node", raw: commitsOf(row.clients) };
  }
}

const commitsOf = (clients: number): string => (clients === 1 ? RAW_COMMITS_ONE : RAW_COMMITS);

/** Creates as many objects as the loads have names. Returns the size of one in the answer to a GET. */
export async function prepared({ plan, access }: Target): Promise<number> {
  await fill(access, plan.prepared, filledIn({ text: createLoad() }));
  return await withConnections(access, 1, async ([connection]) => {
    const answer = await connection?.send(requestBytes("GET", `${EGRESS_IPS}/${loadName(0)}`));
    if (answer?.status !== 200)
      throw new Error(`GET of a created EgressIP was answered with ${answer?.status}`);
    return answer.bodyBytes;
  });
}
