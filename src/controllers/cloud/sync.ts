// Brings the cloud in line with one CloudPrivateIPConfig, step by step: what is asked for is said first, the cloud
// answers after a while, and its answer is written. Repeating a step does nothing more.
import type { ObjectKey } from "../../client/client.ts";
import { formatTime } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring } from "../kit/api.ts";
import type { KitWith, Requeue } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import {
  CLOUD_PRIVATE_IP_CONFIGS,
  type CloudPrivateIpConfig,
  FINALIZER,
  isDone,
  readCloudPrivateIpConfig,
} from "./cloud-private-ip-config.ts";
import { canMove, latencyOf, refusalOf } from "./provider.ts";

const RETRY_FIRST_MS = 5;
const ATTEMPTS_MAX = 16;

/** The cloud does not do what it was asked; it may be asked again. */
class CloudRefusal extends Error {}

type Request =
  | { readonly type: "assign"; readonly node: string }
  | { readonly type: "release"; readonly node: string }
  | { readonly type: "move"; readonly from: string; readonly node: string };

const REASONS = {
  Unknown: "CloudResponsePending",
  True: "CloudResponseSuccess",
  False: "CloudResponseError",
} as const;

/** What stands in the condition, by operation. */
const words = (pending: string, done: string, noun: string, log: string) => ({
  pending: `${pending} IP address`,
  done: `IP address successfully ${done}`,
  failed: `Error processing cloud ${noun} request, err: `,
  log,
});
const WORDS = {
  assign: words("Adding", "added", "assignment", "assigning"),
  release: words("Deleting", "deleted", "release", "releasing"),
  move: words("Moving", "moved", "move", "moving"),
};

export class CloudSync {
  readonly #kit: KitWith<"nodes">;
  readonly #canMove: boolean;
  /** What the cloud was asked, and when it will answer. */
  readonly #asked = new Map<string, { uid: string; request: Request; dueMs: number }>();
  /** How often in a row the cloud has refused; between request and answer the queue does not keep that. */
  readonly #refusals = new Map<string, number>();

  constructor(kit: KitWith<"nodes">) {
    this.#kit = kit;
    this.#canMove = canMove(kit.settings.platform);
  }

  forget(name: string): void {
    this.#asked.delete(name);
    this.#refusals.delete(name);
  }

  async sync(name: string): Promise<Requeue | undefined> {
    try {
      const waitMs = await this.#step(name);
      if (waitMs !== undefined) return { requeueAfterMs: waitMs };
      this.#refusals.delete(name);
      return undefined;
    } catch (error) {
      if (!(error instanceof CloudRefusal)) throw error;
      return this.#retry(name, error);
    }
  }

  #retry(key: string, { message: error }: CloudRefusal): Requeue | undefined {
    const { log, name: controller } = this.#kit;
    const attempts = (this.#refusals.get(key) ?? 0) + 1;
    const fields = { controller, key, attempts, error };
    if (attempts >= ATTEMPTS_MAX) {
      this.#refusals.delete(key);
      log.error("the cloud refuses; waiting for the next change", fields);
      return undefined;
    }
    this.#refusals.set(key, attempts);
    log.warn("the cloud refuses; trying again", fields);
    return { requeueAfterMs: RETRY_FIRST_MS * 2 ** (attempts - 1) };
  }

  /**
   * Answers after how many milliseconds the object is to be looked at again, if so. At the start the cloud is not asked for
   * what it has refused before and would refuse again. Throws CloudRefusal.
   */
  async #step(name: string): Promise<number | undefined> {
    const { client, clock, isFirstLook } = this.#kit;
    const object = await ignoring([404], client.get(CLOUD_PRIVATE_IP_CONFIGS, keyOf(name)));
    const asked = this.#asked.get(name);
    if (asked && asked.uid === object?.metadata.uid) {
      const waitMs = asked.dueMs - clock.now();
      if (waitMs > 0) return waitMs;
      this.#asked.delete(name);
      await this.#conclude(object, asked.request);
      return 0; // what changed in the meantime has not been looked at
    }
    this.#asked.delete(name);
    if (!object) return undefined;
    const config = readCloudPrivateIpConfig(object);
    const request = config.address === undefined ? undefined : nextRequest(config, this.#canMove);
    if (request === "let-go") return this.#letGo(config);
    if (!request || (isFirstLook(name) && this.#wasRefused(object, request))) return undefined;
    return this.#begin(object, request);
  }

  #wasRefused(object: KubeObject, request: Request): boolean {
    const config = readCloudPrivateIpConfig(object);
    const error = this.#errorOf(object, request);
    const message = `${WORDS[request.type].failed}${error}`;
    return error !== undefined && isSaid(config, request, { status: "False", message });
  }

  async #begin(object: KubeObject, request: Request): Promise<number | undefined> {
    const { clock, nodes, settings } = this.#kit;
    const config = readCloudPrivateIpConfig(object);
    const missing = request.type !== "release" && !nodes.get(request.node);
    const complaint = `${request.type === "move" ? "Target node" : "Node"} "${request.node}" does not exist`;
    const refused = { status: "False", message: complaint } as const;
    // A node that is not there is said to be missing; OpenShift 4.13 asks again and again (behaviour.md i.5).
    if (missing && !isNewest(settings)) return this.#askInVain(config, request);
    if (missing && isSaid(config, request, refused)) return undefined; // until the node is there
    if (missing && request.type === "move") return this.#say(config, whereOf(request), refused);
    await this.#sayPending(config, request);
    if (missing) return this.#say(config, whereOf(request), refused);
    const latencyMs = latencyOf([object, nodes.get(request.node)]);
    if (latencyMs === 0) return this.#conclude(object, request);
    const uid = object.metadata.uid ?? "";
    this.#asked.set(config.name, { uid, request, dueMs: clock.now() + latencyMs });
    return latencyMs;
  }

  async #sayPending(config: CloudPrivateIpConfig, request: Request): Promise<void> {
    const { name, finalizers } = config;
    await this.#say(config, whereOf(request), { status: "Unknown", message: WORDS[request.type].pending });
    if (request.type !== "assign" || finalizers.includes(FINALIZER)) return;
    await this.#patch(name, {
      op: "replace",
      path: "/metadata/finalizers",
      value: [...finalizers, FINALIZER],
    });
  }

  /** Pending it is, and pending it stays. */
  async #askInVain(config: CloudPrivateIpConfig, request: Request): Promise<never> {
    const pending = { status: "Unknown", message: WORDS[request.type].pending } as const;
    if (!isSaid(config, request, pending)) await this.#sayPending(config, request);
    throw new CloudRefusal(`error getting node: node ${JSON.stringify(request.node)} not found`);
  }

  /** Writes the cloud's answer. */
  async #conclude(object: KubeObject, request: Request): Promise<undefined> {
    const config = readCloudPrivateIpConfig(object);
    const { type, node } = request;
    const error = this.#errorOf(object, request);
    if (error !== undefined) {
      const message = `${WORDS[type].failed}${error}`;
      await this.#say(config, whereOf(request), { status: "False", message });
      throw new CloudRefusal(
        `error ${WORDS[type].log} CloudPrivateIPConfig: "${config.name}", node: "${node}", err: ${error}`,
      );
    }
    if (type === "release" && config.deleting) return this.#letGo(config);
    return this.#say(config, type === "release" ? "" : node, { status: "True", message: WORDS[type].done });
  }

  #errorOf(object: KubeObject, { type, node: name }: Request): string | undefined {
    const node = this.#kit.nodes.get(name);
    // What is on a node that is gone is gone with it.
    return type === "release" && !node ? undefined : refusalOf([object, node]);
  }

  async #say(
    { name, generation: observedGeneration }: CloudPrivateIpConfig,
    node: string,
    { status, message }: Said,
  ): Promise<undefined> {
    const lastTransitionTime = formatTime(this.#kit.clock.now());
    const reason = REASONS[status];
    const condition = { type: "Assigned", status, observedGeneration, lastTransitionTime, reason, message };
    await this.#patch(
      name,
      { op: "add", path: "/status", value: { node, conditions: [condition] } },
      "status",
    );
  }

  async #letGo({ name, finalizers }: CloudPrivateIpConfig): Promise<undefined> {
    const value = finalizers.filter((item) => item !== FINALIZER);
    await this.#patch(name, { op: "replace", path: "/metadata/finalizers", value });
  }

  /** An object that is gone by now needs nothing any more. */
  async #patch(name: string, operation: object, subresource = ""): Promise<void> {
    const options = { type: "json", body: [operation], ...(subresource ? { subresource } : {}) } as const;
    await ignoring([404], this.#kit.client.patch(CLOUD_PRIVATE_IP_CONFIGS, keyOf(name), options));
  }
}

/** What the object has to ask of the cloud next; "let-go": nothing is left of it there, and it may go. */
function nextRequest(config: CloudPrivateIpConfig, mayMove: boolean): Request | "let-go" | undefined {
  const { node: wanted, deleting, finalizers, status } = config;
  if (deleting) {
    if (!finalizers.includes(FINALIZER)) return undefined;
    // The controller that this one stands for would keep an object that is nowhere for ever.
    return status.node === "" ? "let-go" : { type: "release", node: status.node };
  }
  if (status.node !== "" && status.node !== wanted) {
    // Some clouds bring an address from one node to another in one go.
    if (mayMove && wanted !== "") return { type: "move", from: status.node, node: wanted };
    return { type: "release", node: status.node };
  }
  if (wanted !== "" && (status.node === "" || !isDone(config))) return { type: "assign", node: wanted };
  return undefined;
}

/** The node that has the address as long as the cloud has not answered. */
const whereOf = (request: Request): string => (request.type === "move" ? request.from : request.node);

interface Said {
  readonly status: keyof typeof REASONS;
  readonly message: string;
}

/** That much has been said already. */
function isSaid({ status }: CloudPrivateIpConfig, request: Request, said: Said): boolean {
  const [first] = status.conditions;
  return status.node === whereOf(request) && first?.status === said.status && first.message === said.message;
}

const keyOf = (name: string): ObjectKey => ({ namespace: "", name });
