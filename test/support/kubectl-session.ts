// A server with a folder of its own, and a kubectl that uses the kubeconfig it has written.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EgretProcess, startEgret } from "./egret-process.ts";
import { Kubectl, rowsOf } from "./kubectl.ts";

export class KubectlSession {
  readonly folder: string;
  readonly kubectl: Kubectl;
  readonly #flags: readonly string[];
  #egret: EgretProcess;

  private constructor(folder: string, flags: readonly string[], egret: EgretProcess, kubeconfig: string) {
    this.folder = folder;
    this.#flags = flags;
    this.#egret = egret;
    this.kubectl = new Kubectl(kubeconfig, folder);
  }

  static async start(more: readonly string[] = []): Promise<KubectlSession> {
    const folder = await mkdtemp(join(tmpdir(), "egret-kubectl-"));
    const kubeconfig = join(folder, "kubeconfig");
    const flags = ["--data-dir", join(folder, "data"), "--kubeconfig", kubeconfig, ...more];
    return new KubectlSession(folder, flags, await startEgret(flags), kubeconfig);
  }

  /** The server is gone without a warning and comes back on what it has stored. */
  async killAndRestart(): Promise<void> {
    await this.#egret.stop("SIGKILL");
    this.#egret = await startEgret(this.#flags);
  }

  /** What kubectl prints; throws when it fails. */
  text(...args: readonly string[]): Promise<string> {
    return this.kubectl.text(args);
  }

  /** Applies a text of objects. */
  async apply(yaml: string): Promise<string> {
    const file = join(this.folder, "objects.yaml");
    await writeFile(file, yaml);
    return this.text("apply", "-f", file);
  }

  /** The row of a printed table that is about this name. */
  async row(name: string, ...args: readonly string[]): Promise<Record<string, string> | undefined> {
    return rowsOf(await this.text(...args)).find((candidate) => candidate["NAME"] === name);
  }

  async close(): Promise<void> {
    await this.#egret.stop("SIGKILL");
    await rm(this.folder, { recursive: true, force: true });
  }
}
