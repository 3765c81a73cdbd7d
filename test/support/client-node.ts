// The JavaScript client of the Kubernetes project, and a server of which it knows only the kubeconfig.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import workerThreads from "node:worker_threads";
import zlib from "node:zlib";
import type * as ClientNode from "@kubernetes/client-node";
import { type EgretProcess, startEgret } from "./egret-process.ts";

export type Client = typeof ClientNode;

/** Loads the client. On Node 20 its HTTP library needs stand-ins for what newer ones have; none of it is used here. */
export async function loadClient(): Promise<Client> {
  const missing = (target: object, stand: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(stand))
      if (!(name in target)) Object.assign(target, { [name]: value });
  };
  const refuse = () => {
    throw new Error("this Node has no zstd");
  };
  missing(zlib, { createZstdDecompress: refuse, createZstdCompress: refuse });
  missing(workerThreads, { markAsUncloneable: () => {} });
  missing(Promise, { withResolvers: withResolvers });
  return await import("@kubernetes/client-node");
}

function withResolvers() {
  let resolve: unknown;
  let reject: unknown;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

export class ClientSession {
  readonly client: Client;
  readonly config: ClientNode.KubeConfig;
  readonly #folder: string;
  readonly #flags: readonly string[];
  #egret: EgretProcess;

  private constructor(client: Client, folder: string, flags: readonly string[], egret: EgretProcess) {
    this.client = client;
    this.#folder = folder;
    this.#flags = flags;
    this.#egret = egret;
    this.config = new client.KubeConfig();
    this.config.loadFromFile(join(folder, "kubeconfig"));
  }

  static async start(more: readonly string[] = []): Promise<ClientSession> {
    const client = await loadClient();
    const folder = await mkdtemp(join(tmpdir(), "egret-client-"));
    const flags = ["--data-dir", join(folder, "data"), "--kubeconfig", join(folder, "kubeconfig"), ...more];
    return new ClientSession(client, folder, flags, await startEgret(flags));
  }

  /** The server stops, and comes back at the same address without the history from before. */
  async restartCompacted(): Promise<void> {
    const { host } = new URL(this.#egret.url);
    await this.#egret.stop();
    this.#egret = await startEgret([...this.#flags, `--listen=${host}`, "--compact-at-start"]);
  }

  async close(): Promise<void> {
    await this.#egret.stop("SIGKILL");
    await rm(this.#folder, { recursive: true, force: true });
  }
}
