// Three etcds and three servers as processes, and between each two a relay that can be disturbed. Every start of a server
// has its own era: its clock is off by so many hours, so that a timestamp identifies the start that wrote it.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type EgretProcess, startEgret } from "../../support/egret-process.ts";
import { EtcdCluster } from "../../support/etcd-cluster.ts";
import { Relay } from "../../support/sockets/relay.ts";

const SIZE = 3;
const SKEWED_CLOCK = join(import.meta.dirname, "skewed-clock.cjs");
const START_AGAIN_MS = 200;

export const ERA_MS = 60 * 60_000;

/** One of the servers, across its restarts. */
export class Server {
  readonly ways: readonly Relay[];
  readonly #nextEra: () => number;
  #process: EgretProcess | undefined;
  #isOver = false;

  constructor(ways: readonly Relay[], nextEra: () => number) {
    this.ways = ways;
    this.#nextEra = nextEra;
  }

  /** The last address, even while it is stopped. */
  url = "";

  /** Resolves when it serves; it retries until it can start. */
  async start(): Promise<void> {
    const store = `--store=etcd://${this.ways.map(({ endpoint }) => endpoint).join()}`;
    while (!this.#isOver) {
      const env = {
        NODE_OPTIONS: `--require=${SKEWED_CLOCK}`,
        CLOCK_SKEW_MS: `${this.#nextEra() * ERA_MS}`,
      };
      const process = await startEgret([store, "--kubeconfig="], { env }).catch(() => undefined);
      if (process === undefined) {
        await sleep(START_AGAIN_MS);
        continue;
      }
      this.#process = process;
      this.url = process.url;
      if (this.#isOver) await this.kill();
      return;
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#process !== undefined) process.kill(this.#process.pid, signal);
  }

  async kill(): Promise<void> {
    const dying = this.#process;
    this.#process = undefined;
    await dying?.stop("SIGKILL");
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.kill();
    for (const way of this.ways) await way[Symbol.asyncDispose]();
  }
}

export class Cluster implements AsyncDisposable {
  readonly etcd: EtcdCluster;
  readonly servers: readonly Server[];
  /** A server that has a fault already, and gets no other. */
  spared: Server | undefined;

  private constructor(etcd: EtcdCluster, servers: readonly Server[]) {
    this.etcd = etcd;
    this.servers = servers;
  }

  static async start(): Promise<Cluster> {
    const etcd = await EtcdCluster.start(SIZE);
    let eras = 0;
    const servers: Server[] = [];
    for (let index = 0; index < SIZE; index++) {
      const ways = await Promise.all(etcd.endpoints.map((endpoint) => Relay.to(endpoint)));
      servers.push(new Server(ways, () => eras++));
    }
    const cluster = new Cluster(etcd, servers);
    await Promise.all(servers.map((server) => server.start()));
    return cluster;
  }

  /** Returns the server that runs the controllers; undefined while no server reports that it leads. */
  async leader(among = this.servers): Promise<Server | undefined> {
    const asked = among.map(async (server) => {
      const answer = await fetch(`${server.url}/egret/v1/status`, { signal: AbortSignal.timeout(1000) });
      const { leads } = (await answer.json()) as { leads: boolean };
      if (!leads) throw new Error("another one");
      return server;
    });
    return await Promise.any(asked).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) await server.end();
    await this.etcd[Symbol.asyncDispose]();
  }
}
