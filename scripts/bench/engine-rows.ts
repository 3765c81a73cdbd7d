// The engine at size: many nodes, many EgressIPs, and a node that is drained. Each time counts from the answer to the
// last request to the event with which the last address has its node.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { clear, createRequest, EGRESS_IPS, workers } from "./egress-ips.ts";
import { withConnections } from "./http-connection.ts";
import { measure } from "./measure.ts";
import { createNodes, drainNode, nodeName } from "./nodes.ts";
import type { Plan } from "./plan.ts";
import type { Row } from "./report.ts";
import { start } from "./server-rows.ts";

const CLIENTS = 16;
const SETTLED_MS_MAX = 60_000;

interface Watched {
  readonly type: string;
  readonly object: { metadata: { name: string }; status?: { items?: readonly { node: string }[] } };
}

export async function engineRows({ engine }: Plan, folder: string): Promise<Row[]> {
  const { egret } = await start(await mkdtemp(join(folder, "engine-")), ["--controllers", "egressip"]);
  await using running = egret;
  const { url } = running;
  await createNodes(url, engine.nodes);
  await using hosts = await Hosts.watch(url);
  const createdAt = await createAll(url, engine.egressIps);
  const assignedMs = (await hosts.settled((all) => countHosted(all) === engine.egressIps)) - createdAt;
  const drained = nodeName(1);
  const moving = [...hosts.all.values()].filter((node) => node === drained).length;
  await drainNode(url, 1);
  const drainedAt = performance.now();
  const done = (all: Hosts["all"]) => countHosted(all) === engine.egressIps && !hostedBy(all, drained);
  const movedMs = Math.max(0, (await hosts.settled(done)) - drainedAt);
  await clear(url);
  const size = `${engine.nodes} nodes, ${engine.egressIps} EgressIPs`;
  return [
    { operation: `last create to all assigned, ${size}`, value: Math.max(0, assignedMs), unit: "ms" },
    { operation: `a node drained to its ${moving} addresses moved`, value: movedMs, unit: "ms" },
  ];
}

/** When the last of them was answered. */
async function createAll(url: string, count: number): Promise<number> {
  await withConnections(url, CLIENTS, (connections) =>
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
  readonly #abort: AbortController;
  readonly #ended: Promise<void>;
  #look: (() => void) | undefined;

  private constructor(body: ReadableStream<Uint8Array>, abort: AbortController) {
    this.#abort = abort;
    this.#ended = this.#read(body).catch(() => {});
  }

  static async watch(url: string): Promise<Hosts> {
    const abort = new AbortController();
    const { body } = await fetch(`${url}${EGRESS_IPS}?watch=true`, { signal: abort.signal });
    if (body === null) throw new Error("a watch was answered without a body");
    return new Hosts(body, abort);
  }

  /** The time of the event with which the condition has come true. */
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
    this.#abort.abort();
    await this.#ended;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = "";
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
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
