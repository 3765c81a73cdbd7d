// A server with a folder of its own, filled with manifests, and an `egret` command that uses it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EgretProcess, type Exit, runEgret, startEgret } from "./egret-process.ts";

export const MANIFESTS = join(import.meta.dirname, "../e2e/manifests");

export class EgretSession implements AsyncDisposable {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly #server: EgretProcess;

  private constructor(folder: string, kubeconfig: string, server: EgretProcess) {
    this.folder = folder;
    this.kubeconfig = kubeconfig;
    this.#server = server;
  }

  /** Resolves when the controllers have reconciled the manifests. */
  static async start(manifests: readonly string[], flags: readonly string[] = []): Promise<EgretSession> {
    const folder = await mkdtemp(join(tmpdir(), "egret-session-"));
    const kubeconfig = join(folder, "kubeconfig");
    const server = await startEgret(["--in-memory", "--kubeconfig", kubeconfig, ...flags]);
    const session = new EgretSession(folder, kubeconfig, server);
    const files = manifests.flatMap((name) => ["-f", join(MANIFESTS, name)]);
    const applied = await session.egret("apply", "--status", ...files);
    if (applied.code !== 0 || applied.stderr !== "") throw new Error(applied.stderr);
    await session.egret("clock", "settle");
    return session;
  }

  egret(...words: string[]): Promise<Exit> {
    return runEgret(words, { env: { EGRET_KUBECONFIG: this.kubeconfig } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}
