// Brings the cloud in line with one CloudPrivateIPConfig, step by step: what is asked for is said first, the cloud
// answers after a while, and its answer is written. Repeating a step does nothing more.
import type { ObjectKey } from "../../client/client.ts";
import { formatTime } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring } from "../kit/api.ts";
import type { KitWith } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import {
  CLOUD_PRIVATE_IP_CONFIGS,
  type CloudPrivateIpConfig,
  FINALIZER,
  readCloudPrivateIpConfig,
} from "./cloud-private-ip-config.ts";
import type { EmulatedCloud } from "./emulated-cloud.ts";
import { cloudStatus, nextOperation, type Operation, WORDS } from "./operation.ts";
import { canMove } from "./provider.ts";

/** The cloud does not do what it was asked; it may be asked again. */
export class CloudRefusal extends Error {}

type Request = Exclude<Operation, { type: "let-go" }>;

/** What the cloud was asked, and when it will answer. */
interface Asked {
  readonly uid: string;
  readonly request: Request;
  readonly dueMs: number;
}

export class CloudSync {
  readonly #kit: KitWith<"nodes">;
  readonly #cloud: EmulatedCloud;
  readonly #canMove: boolean;
  readonly #asked = new Map<string, Asked>();

  constructor(kit: KitWith<"nodes">, cloud: EmulatedCloud) {
    this.#kit = kit;
    this.#cloud = cloud;
    this.#canMove = canMove(kit.settings.platform);
  }

  /**
   * Answers after how many milliseconds the object is to be looked at again, if so. With `atStart` the cloud is not asked for
   * what it has refused before and would refuse again. Throws CloudRefusal.
   */
  async sync(name: string, { atStart = false } = {}): Promise<number | undefined> {
    const object = await this.#read(name);
    const asked = this.#asked.get(name);
    if (asked && asked.uid === object?.metadata.uid) {
      const waitMs = asked.dueMs - this.#kit.clock.now();
      if (waitMs > 0) return waitMs;
      this.#asked.delete(name);
      await this.#conclude(object, asked.request);
      return 0; // what changed in the meantime has not been looked at
    }
    this.#asked.delete(name);
    if (!object || (atStart && this.#wasRefused(object))) return undefined;
    return this.#begin(object);
  }

  #wasRefused(object: KubeObject): boolean {
    const config = readCloudPrivateIpConfig(object);
    const operation = nextOperation(config, { canMove: this.#canMove });
    if (config.address === undefined || !operation || operation.type === "let-go") return false;
    const error = this.#errorOf(object, config, operation);
    return error !== undefined && isRefused(config, operation, `${WORDS[operation.type].failed}${error}`);
  }

  forget(name: string): void {
    this.#asked.delete(name);
  }

  async #begin(object: KubeObject): Promise<number | undefined> {
    const { clock, nodes, settings } = this.#kit;
    const config = readCloudPrivateIpConfig(object);
    if (config.address === undefined) return undefined;
    const operation = nextOperation(config, { canMove: this.#canMove });
    if (!operation) return undefined;
    if (operation.type === "let-go") return this.#removeFinalizer(config);
    const missing = operation.type !== "release" && !nodes.get(operation.node);
    const complaint = `${operation.type === "move" ? "Target node" : "Node"} "${operation.node}" does not exist`;
    // A node that is not there is said to be missing; OpenShift 4.13 asks again and again (behaviour.md i.5).
    if (missing && !isNewest(settings)) return this.#askInVain(config, operation);
    if (missing && isRefused(config, operation, complaint)) return undefined;
    if (missing && operation.type === "move") return this.#refuse(config, operation, complaint);
    await this.#say(config, whereOf(operation), "Unknown", WORDS[operation.type].pending);
    if (operation.type === "assign") await this.#hold(config);
    if (missing) return this.#refuse(config, operation, complaint);
    const latencyMs = this.#cloud.latencyOf([object, nodes.get(operation.node)]);
    if (latencyMs === 0) return this.#conclude(object, operation);
    const uid = object.metadata.uid ?? "";
    this.#asked.set(config.name, { uid, request: operation, dueMs: clock.now() + latencyMs });
    return latencyMs;
  }

  /** Pending it is, and pending it stays. */
  async #askInVain(config: CloudPrivateIpConfig, request: Request): Promise<never> {
    const { pending } = WORDS[request.type];
    if (!isSaid(config, request, "Unknown", pending)) {
      await this.#say(config, whereOf(request), "Unknown", pending);
      if (request.type === "assign") await this.#hold(config);
    }
    throw new CloudRefusal(`error getting node: node ${JSON.stringify(request.node)} not found`);
  }

  /** Writes the cloud's answer. */
  async #conclude(object: KubeObject, request: Request): Promise<undefined> {
    const config = readCloudPrivateIpConfig(object);
    const { type, node } = request;
    const error = this.#errorOf(object, config, request);
    if (error !== undefined) {
      await this.#refuse(config, request, `${WORDS[type].failed}${error}`);
      throw new CloudRefusal(
        `error ${WORDS[type].log} CloudPrivateIPConfig: "${config.name}", node: "${node}", err: ${error}`,
      );
    }
    if (type === "release" && config.deleting) return this.#removeFinalizer(config);
    await this.#say(config, type === "release" ? "" : node, "True", WORDS[type].done);
  }

  #errorOf(object: KubeObject, { address = "" }: CloudPrivateIpConfig, request: Request): string | undefined {
    const { type: verb, node: name } = request;
    const node = this.#kit.nodes.get(name);
    // What is on a node that is gone is gone with it.
    if (verb === "release" && !node) return undefined;
    return this.#cloud.errorOf({ verb, address, node: name }, [object, node]);
  }

  async #refuse(config: CloudPrivateIpConfig, request: Request, message: string): Promise<undefined> {
    await this.#say(config, whereOf(request), "False", message);
  }

  async #say(
    { name, generation: observedGeneration }: CloudPrivateIpConfig,
    node: string,
    status: "True" | "False" | "Unknown",
    message: string,
  ): Promise<void> {
    const lastTransitionTime = formatTime(this.#kit.clock.now());
    const value = cloudStatus(node, status, message, { observedGeneration, lastTransitionTime });
    await this.#patch(name, [{ op: "add", path: "/status", value }], "status");
  }

  async #hold({ name, finalizers }: CloudPrivateIpConfig): Promise<void> {
    if (finalizers.includes(FINALIZER)) return;
    const value = [...finalizers, FINALIZER];
    await this.#patch(name, [{ op: "replace", path: "/metadata/finalizers", value }]);
  }

  async #removeFinalizer({ name, finalizers }: CloudPrivateIpConfig): Promise<undefined> {
    const value = finalizers.filter((item) => item !== FINALIZER);
    await this.#patch(name, [{ op: "replace", path: "/metadata/finalizers", value }]);
  }

  async #read(name: string): Promise<KubeObject | undefined> {
    return await ignoring([404], this.#kit.client.get(CLOUD_PRIVATE_IP_CONFIGS, keyOf(name)));
  }

  /** An object that is gone by now needs nothing any more. */
  async #patch(name: string, body: unknown, subresource = ""): Promise<void> {
    const options = { type: "json", body, ...(subresource ? { subresource } : {}) } as const;
    await ignoring([404], this.#kit.client.patch(CLOUD_PRIVATE_IP_CONFIGS, keyOf(name), options));
  }
}

/** The node that has the address as long as the cloud has not answered. */
const whereOf = (request: Request): string => (request.type === "move" ? request.from : request.node);

/** That much has been said already: nothing changes until the node is there. */
const isRefused = (config: CloudPrivateIpConfig, request: Request, message: string): boolean =>
  isSaid(config, request, "False", message);

function isSaid(
  { status }: CloudPrivateIpConfig,
  request: Request,
  answer: "False" | "Unknown",
  message: string,
): boolean {
  const [condition] = status.conditions;
  return status.node === whereOf(request) && condition?.status === answer && condition.message === message;
}

const keyOf = (name: string): ObjectKey => ({ namespace: "", name });
