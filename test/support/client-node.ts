// The JavaScript client of the Kubernetes project, and a server that it knows only through a kubeconfig.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as k8s from "@kubernetes/client-node";
import { type EgretProcess, startEgret } from "./egret-process.ts";

export class ClientSession {
  readonly config: k8s.KubeConfig;
  readonly #folder: string;
  readonly #flags: readonly string[];
  #egret: EgretProcess;

  private constructor(folder: string, flags: readonly string[], egret: EgretProcess) {
    this.#folder = folder;
    this.#flags = flags;
    this.#egret = egret;
    this.config = new k8s.KubeConfig();
    this.config.loadFromFile(join(folder, "kubeconfig"));
  }

  static async start(more: readonly string[] = []): Promise<ClientSession> {
    const folder = await mkdtemp(join(tmpdir(), "egret-client-"));
    const flags = ["--data-dir", join(folder, "data"), "--kubeconfig", join(folder, "kubeconfig"), ...more];
    return new ClientSession(folder, flags, await startEgret(flags));
  }

  /** Restarts the server at the same address without its history. */
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
