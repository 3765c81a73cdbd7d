// The reference history: every change of every key in the order of revisions, as etcdctl reports it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { ETCDCTL } from "../../support/etcd.ts";

export interface TrueEvent {
  readonly revision: number;
  readonly key: string;
  /** undefined: the key was deleted. */
  readonly value: Buffer | undefined;
  /** When etcdctl reported the change, in milliseconds since the epoch. */
  readonly atMs: number;
}

interface Told {
  readonly Events: readonly {
    readonly type?: number;
    readonly kv: { readonly key: string; readonly mod_revision: number; readonly value?: string };
  }[];
  readonly Canceled: boolean;
  readonly CompactRevision: number;
}

/**
 * The etcdctl watch ends now and then and is restarted from its last revision. Nothing may compact revisions that it has
 * not observed.
 */
export class Observer implements AsyncDisposable {
  readonly events: TrueEvent[] = [];
  readonly #flags: readonly string[];
  #child: ChildProcess;
  #problem: string | undefined;
  #isOver = false;

  constructor(endpoints: readonly string[]) {
    const alive = ["--keepalive-time", "10s", "--keepalive-timeout", "3s"];
    this.#flags = ["--endpoints", endpoints.join(), ...alive, "watch", "", "--prefix", "-w", "json"];
    this.#child = this.#start();
  }

  /** The newest observed revision. Throws when the observer has missed an event. */
  get revision(): number {
    if (this.#problem !== undefined) throw new Error(this.#problem);
    return this.events.at(-1)?.revision ?? 0;
  }

  #start(): ChildProcess {
    const from = (this.events.at(-1)?.revision ?? 0) + 1;
    const child = spawn(ETCDCTL, [...this.#flags, `--rev=${from}`], {
      env: { ...process.env, ETCDCTL_API: "3" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on("line", (line) => this.#take(JSON.parse(line), from));
    child.once("close", () => {
      if (!this.#isOver) this.#child = this.#start();
    });
    return child;
  }

  #take({ Events, Canceled, CompactRevision }: Told, from: number): void {
    if (CompactRevision > from) this.#problem = `${CompactRevision} was forgotten before it was observed`;
    if (Canceled) {
      this.#child.kill("SIGKILL");
      return;
    }
    const atMs = Date.now();
    for (const { type = 0, kv } of Events) {
      this.events.push({
        ...{ revision: kv.mod_revision, key: Buffer.from(kv.key, "base64").toString(), atMs },
        value: type === 1 ? undefined : Buffer.from(kv.value ?? "", "base64"),
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}
