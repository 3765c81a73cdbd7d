// A server with a folder of its own, and a kubectl with the server's kubeconfig.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { type EgretProcess, startEgret } from "./egret-process.ts";
import { Etcd, etcdProblem } from "./etcd.ts";
import { Kubectl, kubectlProblem, rowsOf } from "./kubectl.ts";

type StartSession = (flags?: readonly string[]) => Promise<KubectlSession>;

/** Runs the same tests with a store in a folder, and with one in an etcd. */
export function describeWithKubectl(name: string, tests: (start: StartSession) => void): void {
  const problem = kubectlProblem();
  const places = [
    { place: "a folder", problem, start: KubectlSession.start },
    { place: "etcd", problem: problem ?? etcdProblem(), start: KubectlSession.startOnEtcd },
  ];
  for (const { place, problem: why, start } of places) {
    const title = `${name}, kept in ${place}${why === undefined ? "" : ` (left out: ${why})`}`;
    describe.skipIf(why !== undefined)(title, () => tests(start));
  }
}

export class KubectlSession {
  readonly folder: string;
  readonly kubectl: Kubectl;
  readonly #flags: readonly string[];
  #egret: EgretProcess;
  #etcd: Etcd | undefined;

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

  static async startOnEtcd(more: readonly string[] = []): Promise<KubectlSession> {
    const etcd = await Etcd.start();
    try {
      const session = await KubectlSession.start([`--store=etcd://${etcd.endpoint}`, ...more]);
      session.#etcd = etcd;
      return session;
    } catch (error) {
      await etcd.stop();
      throw error;
    }
  }

  /** Kills the server and restarts it on its store. */
  async killAndRestart(): Promise<void> {
    await this.#egret.stop("SIGKILL");
    this.#egret = await startEgret(this.#flags);
  }

  /** Returns the output of kubectl; throws when it fails. */
  text(...args: readonly string[]): Promise<string> {
    return this.kubectl.text(args);
  }

  /** Applies YAML text. */
  async apply(yaml: string): Promise<string> {
    const file = join(this.folder, "objects.yaml");
    await writeFile(file, yaml);
    return this.text("apply", "-f", file);
  }

  /** The row of a printed table with this name. */
  async row(name: string, ...args: readonly string[]): Promise<Record<string, string> | undefined> {
    return rowsOf(await this.text(...args)).find((candidate) => candidate["NAME"] === name);
  }

  async close(): Promise<void> {
    await this.#egret.stop("SIGKILL");
    await this.#etcd?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
