// The last heartbeat of each node, by the controller's own clock: a renewal of its Lease or a new heartbeat in its
// status. After a start each node gets the full grace period again, since earlier heartbeats are unknown.

import { objectAt, textAt } from "../../apimachinery/json/json.ts";
import type { Timer } from "../../apimachinery/meta/clock.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Kit } from "../../controller/definition.ts";

/**
 * The defaults of kube-controller-manager's --node-monitor-grace-period, --node-startup-grace-period and
 * --node-monitor-period.
 */
const GRACE_MS = 50_000;
const STARTUP_GRACE_MS = 60_000;
const PERIOD_MS = 5_000;

interface Heard {
  readonly atMs: number;
  readonly renewTime: string;
  readonly heartbeat: string;
  readonly graceMs: number;
  /** The node is already marked Unknown; no timer runs for it. */
  readonly isLost: boolean;
}

const NEVER: Omit<Heard, "atMs"> = { renewTime: "", heartbeat: "", graceMs: STARTUP_GRACE_MS, isLost: false };

export const readyCondition = (node: KubeObject) => conditionOf(objectAt(node, "status"), "Ready");

export class Health {
  readonly #kit: Pick<Kit, "clock" | "signal">;
  readonly #heard = new Map<string, Heard>();
  #timer: Timer | undefined;
  #tell: ((names: readonly string[]) => void) | undefined;

  constructor(kit: Pick<Kit, "clock" | "signal">) {
    this.#kit = kit;
    kit.signal.addEventListener("abort", () => this.#timer?.cancel(), { once: true });
  }

  /** Starts to report the nodes whose grace period has expired. */
  start(tell: (names: readonly string[]) => void): void {
    this.#tell = tell;
    this.#watch();
  }

  hearNode(name: string, node: KubeObject): void {
    const ready = readyCondition(node);
    const graceMs = ready === undefined ? STARTUP_GRACE_MS : GRACE_MS;
    const isLost = ready?.["status"] === "Unknown";
    this.#hear(name, { heartbeat: textAt(ready, "lastHeartbeatTime"), graceMs, isLost });
  }

  hearLease(name: string, lease: KubeObject): void {
    if (this.#heard.has(name)) this.#hear(name, { renewTime: textAt(objectAt(lease, "spec"), "renewTime") });
  }

  forget(name: string): void {
    this.#heard.delete(name);
  }

  isOverdue(name: string): boolean {
    const heard = this.#heard.get(name);
    return heard !== undefined && this.#kit.clock.now() >= heard.atMs + heard.graceMs;
  }

  #hear(name: string, now: Partial<Heard>): void {
    const before = this.#heard.get(name);
    const heard = { atMs: this.#kit.clock.now(), ...NEVER, ...before, ...now };
    const isNews =
      before === undefined || heard.renewTime !== before.renewTime || heard.heartbeat !== before.heartbeat;
    this.#heard.set(name, isNews ? { ...heard, atMs: this.#kit.clock.now() } : heard);
    this.#watch();
  }

  /** One timer, for the earliest end of a grace period. */
  #watch(): void {
    if (this.#tell === undefined || this.#timer !== undefined || this.#kit.signal.aborted) return;
    let dueMs = Number.POSITIVE_INFINITY;
    for (const { atMs, graceMs, isLost } of this.#heard.values())
      if (!isLost) dueMs = Math.min(dueMs, atMs + graceMs);
    if (!Number.isFinite(dueMs)) return;
    const waitMs = Math.max(dueMs - this.#kit.clock.now(), PERIOD_MS);
    this.#timer = this.#kit.clock.after(waitMs, () => {
      this.#timer = undefined;
      this.#tell?.([...this.#heard.keys()].filter((name) => this.isOverdue(name)));
      this.#watch();
    });
  }
}
