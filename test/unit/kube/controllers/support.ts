// Shared by controller tests: a manual clock, a recorded log, and the objects of a small cluster.

import type { Clock } from "../../../../src/apimachinery/meta/clock.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import type { ResourceName } from "../../../../src/controller/client.ts";
import type { DefinedController, Running } from "../../../../src/controller/definition.ts";
import type { Logger } from "../../../../src/controller/logging.ts";
import { type ControllerSettings, DEFAULT_SETTINGS } from "../../../../src/controller/settings.ts";
import { egressIp } from "../../../../src/ovn/controllers/egressip/controller.ts";
import type { EgressIps } from "../../../../src/ovn/controllers/egressip/egress-ips.ts";
import { FakeClient } from "../../../support/fake-client.ts";

export const NODES: ResourceName = { group: "", version: "v1", resource: "nodes" };
export const EVENTS: ResourceName = { group: "", version: "v1", resource: "events" };
export const EGRESS_IPS: ResourceName = { group: "k8s.ovn.org", version: "v1", resource: "egressips" };
export const LABEL = "k8s.ovn.org/egress-assignable";
export const MARK = "k8s.ovn.org/egressip-mark";

/** Frozen until advanced; timers then run in the order of their due times. */
export class ManualClock implements Clock {
  #nowMs = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<{ dueMs: number; callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void) {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = this.after(delayMs, () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  get pending(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers].sort((a, b) => a.dueMs - b.dueMs)[0];
      if (!due || due.dueMs > untilMs) break;
      this.#timers.delete(due);
      this.#nowMs = due.dueMs;
      due.callback();
    }
    this.#nowMs = untilMs;
  }
}

export interface KeptLog extends Logger {
  readonly lines: string[];
}

export function keptLog(): KeptLog {
  const lines: string[] = [];
  const keep = (level: string) => (message: string, fields?: object) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
  return { lines, info: keep("info"), warn: keep("warn"), error: keep("error") };
}

export interface NodeOptions {
  readonly ipv4?: string;
  readonly ipv6?: string;
  /** Addresses beside the primary ones; replaces all of host-cidrs when it is text. */
  readonly hosts?: readonly string[] | string;
  readonly label?: string | false;
  readonly ready?: boolean | "Unknown";
  readonly labels?: Record<string, string>;
  /** The text of node-subnets; left out: no such annotation. */
  readonly subnets?: string;
}

/** A node with the egress-assignable label and Ready=True, unless the options override that. */
export function nodeObject(name: string, options: NodeOptions = {}): KubeObject {
  const { ipv4, ipv6, hosts = [], label = "", ready = true, labels = {}, subnets } = options;
  const primary = { ...(ipv4 ? { ipv4 } : {}), ...(ipv6 ? { ipv6 } : {}) };
  const hostCidrs = typeof hosts === "string" ? hosts : JSON.stringify([...Object.values(primary), ...hosts]);
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { ...labels, ...(label === false ? {} : { [LABEL]: label }) },
      annotations: {
        "k8s.ovn.org/node-primary-ifaddr": JSON.stringify(primary),
        "k8s.ovn.org/host-cidrs": hostCidrs,
        ...(subnets === undefined ? {} : { "k8s.ovn.org/node-subnets": subnets }),
      },
    },
    status: { conditions: [{ type: "Ready", status: ready === true ? "True" : ready || "False" }] },
  };
}

export interface EgressIpOptions {
  readonly annotations?: Record<string, string>;
  readonly finalizers?: string[];
  readonly status?: unknown;
}

export function egressIpObject(
  name: string,
  egressIPs: readonly string[],
  options: EgressIpOptions = {},
): KubeObject {
  const { status, ...metadata } = options;
  return {
    apiVersion: "k8s.ovn.org/v1",
    kind: "EgressIP",
    metadata: { name, ...metadata },
    spec: { egressIPs: [...egressIPs], namespaceSelector: {} },
    ...(status === undefined ? {} : { status }),
  };
}

/** The controller as it is with these settings. */
export const withSettings = <M>(
  definition: DefinedController<M>,
  settings: Partial<ControllerSettings>,
): DefinedController<M> => ({
  ...definition,
  create: (deps) => definition.create({ ...deps, settings: { ...DEFAULT_SETTINGS, ...settings } }),
});

interface ClusterOptions {
  readonly settings?: Partial<ControllerSettings>;
}

/** A cluster with the controller at work. Every step ends when the controller has nothing left to do. */
export class Cluster {
  readonly client = new FakeClient();
  readonly clock = new ManualClock();
  readonly log = keptLog();
  readonly #options: ClusterOptions;
  #controller: Running<EgressIps>;
  #abort = new AbortController();

  private constructor(options: ClusterOptions) {
    this.#options = options;
    this.#controller = this.#create();
  }

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster(options);
    await cluster.#controller.start(cluster.#abort.signal);
    return cluster;
  }

  #create(): Running<EgressIps> {
    const { client, clock, log } = this;
    const { settings = {} } = this.#options;
    return withSettings(egressIp, settings).create({ client, clock, log });
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#controller.stop();
  }

  async restart(whileDown: () => Promise<unknown> = async () => undefined): Promise<void> {
    await this.stop();
    await whileDown();
    this.#abort = new AbortController();
    this.#controller = this.#create();
    await this.#controller.start(this.#abort.signal);
    await this.idle();
  }

  idle(): Promise<void> {
    return this.#controller.idle();
  }

  describe(): ReturnType<EgressIps["describe"]> {
    return this.#controller.memory.describe();
  }

  /** What the controller wrote to EgressIPs since it was last asked. */
  takeWrites(): unknown[] {
    const writes = this.client.writes.splice(0);
    return writes.filter(
      ({ verb, resource, body }) => verb === "patch" && resource === "egressips" && Array.isArray(body),
    );
  }

  async addNode(name: string, options: NodeOptions = {}): Promise<void> {
    await this.client.create(NODES, nodeObject(name, options));
    await this.idle();
  }

  async patchNode(name: string, body: unknown): Promise<void> {
    await this.client.patch(NODES, { namespace: "", name }, { type: "merge", body });
    await this.idle();
  }

  async label(name: string, value: string | null): Promise<void> {
    await this.patchNode(name, { metadata: { labels: { [LABEL]: value } } });
  }

  async ready(name: string, status: boolean): Promise<void> {
    await this.patchNode(name, {
      status: { conditions: [{ type: "Ready", status: status ? "True" : "False" }] },
    });
  }

  async annotate(name: string, annotations: Record<string, unknown>): Promise<void> {
    const texts = Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [
        `k8s.ovn.org/${key}`,
        value === null || typeof value === "string" ? value : JSON.stringify(value),
      ]),
    );
    await this.patchNode(name, { metadata: { annotations: texts } });
  }

  async deleteNode(name: string): Promise<void> {
    await this.client.delete(NODES, { namespace: "", name });
    await this.idle();
  }

  async addEgressIp(
    name: string,
    egressIPs: readonly string[],
    options: EgressIpOptions = {},
  ): Promise<void> {
    await this.client.create(EGRESS_IPS, egressIpObject(name, egressIPs, options));
    await this.idle();
  }

  async patchEgressIp(name: string, body: unknown): Promise<void> {
    await this.client.patch(EGRESS_IPS, { namespace: "", name }, { type: "merge", body });
    await this.idle();
  }

  async setSpec(name: string, egressIPs: readonly string[]): Promise<void> {
    await this.patchEgressIp(name, { spec: { egressIPs } });
  }

  async touch(name: string): Promise<void> {
    await this.patchEgressIp(name, { metadata: { labels: { touched: String(this.client.writes.length) } } });
  }

  async deleteEgressIp(name: string): Promise<void> {
    await this.client.delete(EGRESS_IPS, { namespace: "", name });
    await this.idle();
  }

  async egressIp(name: string): Promise<KubeObject> {
    return this.client.get(EGRESS_IPS, { namespace: "", name });
  }

  /** status.items as "address@node"; undefined when there is no status. */
  async items(name: string): Promise<string[] | undefined> {
    const { status } = (await this.egressIp(name)) as {
      status?: { items: { egressIP: string; node: string }[] };
    };
    return status?.items.map(({ egressIP, node }) => `${egressIP}@${node}`);
  }

  async mark(name: string): Promise<string | undefined> {
    return (await this.egressIp(name)).metadata.annotations?.[MARK];
  }

  /** Events about the EgressIP as "reason: message", with "×count" behind those that came more than once. */
  async events(name: string): Promise<string[]> {
    const { items } = await this.client.list(EVENTS);
    const about = items.filter((event) => (event["involvedObject"] as { name: string }).name === name);
    return about.map((event) => {
      const times = event["count"] === 1 ? "" : ` ×${event["count"]}`;
      return `${event["reason"]}: ${event["message"]}${times}`;
    });
  }
}
