// The cloud controller alone: the tests create the CloudPrivateIPConfigs.

import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../../../src/apimachinery/meta/status.ts";
import type { Platform, Profile } from "../../../../../src/controller/emulated-release.ts";
import { DEFAULT_SETTINGS } from "../../../../../src/controller/settings.ts";
import { cloud } from "../../../../../src/ovn/controllers/cloud/controller.ts";
import { FakeClient } from "../../../../support/fake-client.ts";
import {
  keptLog,
  ManualClock,
  NODES,
  type NodeOptions,
  nodeObject,
} from "../../../kube/controllers/support.ts";
import { CONFIGS } from "../egressip/cloud-cluster.ts";

export const FINALIZER = "cloudprivateipconfig.cloud.network.openshift.io/finalizer";
export const NAME = "192.168.126.101";

interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface SeenConfig extends KubeObject {
  readonly spec: { readonly node: string };
  readonly status?: { readonly node: string; readonly conditions: readonly Condition[] };
}

export class CloudWorld {
  readonly client = new FakeClient();
  readonly clock = new ManualClock();
  readonly log = keptLog();
  readonly #platform: Platform;
  readonly #profile: Profile;
  #controller: ReturnType<typeof cloud.create>;
  #abort = new AbortController();
  /** How each status that was written reads: "node status reason: message". */
  readonly history: string[] = [];

  private constructor(platform: Platform, profile: Profile) {
    this.#platform = platform;
    this.#profile = profile;
    this.#controller = this.#create();
  }

  static async start(
    platform: Platform = "aws",
    nodes: readonly string[] = ["n1", "n2"],
    profile: Profile = DEFAULT_SETTINGS.profile,
  ): Promise<CloudWorld> {
    const world = new CloudWorld(platform, profile);
    for (const [index, name] of nodes.entries()) {
      await world.client.create(NODES, nodeObject(name, { ipv4: `192.168.126.${11 + index}/24` }));
    }
    await world.#controller.start(world.#abort.signal);
    await world.idle();
    return world;
  }

  #create() {
    const { client, clock, log } = this;
    const settings = {
      platform: this.#platform,
      cloud: "internal",
      profile: this.#profile,
      zones: "external",
      clusterSubnets: "",
    } as const;
    return cloud.create({ client, clock, log, settings });
  }

  /** Both nodes make the cloud take so long. */
  async slow(ms: number): Promise<void> {
    const annotations = { "egret.dev/cloud-latency-ms": String(ms) };
    for (const name of ["n1", "n2"]) await this.patchNode(name, { metadata: { annotations } });
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#controller.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    this.#abort = new AbortController();
    this.#controller = this.#create();
    await this.#controller.start(this.#abort.signal);
    await this.idle();
  }

  async idle(): Promise<void> {
    await this.#controller.idle();
    for (const { resource, body } of this.client.writes.splice(0)) {
      if (resource !== CONFIGS.resource || !Array.isArray(body)) continue;
      for (const { path, value } of body as { path: string; value: SeenConfig["status"] }[]) {
        if (path !== "/status") continue;
        const { status, reason, message } = value?.conditions[0] ?? { status: "", reason: "", message: "" };
        this.history.push(`${value?.node || "-"} ${status} ${reason}: ${message}`);
      }
    }
  }

  takeHistory(): string[] {
    return this.history.splice(0);
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.idle();
  }

  async ask(node: string, annotations: Record<string, string> = {}): Promise<void> {
    await this.client.create(CONFIGS, {
      apiVersion: "cloud.network.openshift.io/v1",
      kind: "CloudPrivateIPConfig",
      metadata: { name: NAME, annotations },
      spec: { node },
    });
    await this.idle();
  }

  async change(body: unknown): Promise<void> {
    await this.client.patch(CONFIGS, { namespace: "", name: NAME }, { type: "merge", body });
    await this.idle();
  }

  async remove(): Promise<void> {
    await this.client.delete(CONFIGS, { namespace: "", name: NAME });
    await this.idle();
  }

  async config(): Promise<SeenConfig | undefined> {
    try {
      return (await this.client.get(CONFIGS, { namespace: "", name: NAME })) as SeenConfig;
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }

  async addNode(name: string, options: NodeOptions, more: Partial<KubeObject> = {}): Promise<void> {
    await this.client.create(NODES, { ...nodeObject(name, options), ...more });
    await this.idle();
  }

  async patchNode(name: string, body: unknown): Promise<void> {
    await this.client.patch(NODES, { namespace: "", name }, { type: "merge", body });
    await this.idle();
  }

  async deleteNode(name: string): Promise<void> {
    await this.client.delete(NODES, { namespace: "", name });
    await this.idle();
  }

  async egressIpConfig(node: string): Promise<unknown> {
    const { metadata } = await this.client.get(NODES, { namespace: "", name: node });
    const text = metadata.annotations?.["cloud.network.openshift.io/egress-ipconfig"];
    return text === undefined ? undefined : JSON.parse(text);
  }
}
