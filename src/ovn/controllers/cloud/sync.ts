// Reconciles one CloudPrivateIPConfig with the simulated cloud: write the pending condition, wait for the cloud's latency,
// write the result (src/ovn/rules.md R105). Each step is idempotent.

import { formatTime } from "../../../apimachinery/meta/clock.ts";
import { ignoring } from "../../../controller/api.ts";
import type { ObjectKey } from "../../../controller/client.ts";
import type { KitWith, Requeue } from "../../../controller/definition.ts";
import { isNewest } from "../../../controller/settings.ts";
import { type CloudPrivateIpConfig, readCloudPrivateIpConfig } from "../../assignment/cloud-request.ts";
import { CLOUD_PRIVATE_IP_CONFIGS, canMove, FINALIZER, isDone, latencyOf, refusalOf } from "./provider.ts";

const RETRY_FIRST_MS = 5;
const ATTEMPTS_MAX = 16;

/** The cloud rejected a request; it may be retried. */
class CloudRefusal extends Error {}

interface Request {
  readonly type: keyof typeof WORDS;
  readonly node: string;
  /** status.node while the request is pending. */
  readonly at: string;
}

const REASONS = {
  Unknown: "CloudResponsePending",
  True: "CloudResponseSuccess",
  False: "CloudResponseError",
} as const;

type Status = keyof typeof REASONS;

/** Condition messages by operation. */
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
  /** Pending requests, and the time of their responses. */
  readonly #asked = new Map<string, { uid: string; request: Request; dueMs: number }>();
  /** Consecutive rejections. The work queue's own counter is reset between request and response. */
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
   * Returns the requeue delay in milliseconds, if any. At the start a request is skipped if the cloud has rejected it before
   * and would reject it again. Throws CloudRefusal.
   */
  async #step(name: string): Promise<number | undefined> {
    const { client, clock, isFirstLook } = this.#kit;
    const object = await ignoring([404], client.get(CLOUD_PRIVATE_IP_CONFIGS, keyOf(name)));
    const asked = this.#asked.get(name);
    if (asked && asked.uid === object?.metadata.uid) {
      const waitMs = asked.dueMs - clock.now();
      if (waitMs > 0) return waitMs;
      this.#asked.delete(name);
      await this.#conclude(readCloudPrivateIpConfig(object), asked.request);
      return 0; // handle changes made while the request was pending
    }
    this.#asked.delete(name);
    if (!object) return undefined;
    const config = readCloudPrivateIpConfig(object);
    const request = config.address === undefined ? undefined : nextRequest(config, this.#canMove);
    if (request === "let-go") return this.#letGo(config);
    if (!request || (isFirstLook(name) && this.#wasRefused(config, request))) return undefined;
    const isPossible = request.type === "release" || this.#kit.nodes.get(request.node);
    return isPossible ? this.#begin(config, request) : this.#beginInVain(config, request);
  }

  #wasRefused(config: CloudPrivateIpConfig, request: Request): boolean {
    const error = this.#errorOf(config, request);
    const message = `${WORDS[request.type].failed}${error}`;
    return error !== undefined && isSaid(config, request, "False", message);
  }

  async #begin(config: CloudPrivateIpConfig, request: Request): Promise<number | undefined> {
    const { clock, nodes } = this.#kit;
    await this.#sayPending(config, request);
    const latencyMs = latencyOf([config.object, nodes.get(request.node)]);
    if (latencyMs === 0) return this.#conclude(config, request);
    const uid = config.object.metadata.uid ?? "";
    this.#asked.set(config.name, { uid, request, dueMs: clock.now() + latencyMs });
    return latencyMs;
  }

  /** Reports a missing node in the condition; OpenShift 4.13 returns an error and retries (src/ovn/rules.md R106). */
  async #beginInVain(config: CloudPrivateIpConfig, request: Request): Promise<undefined> {
    const { type, node, at } = request;
    if (!isNewest(this.#kit.settings)) {
      // The condition stays pending.
      if (!isSaid(config, request, "Unknown", WORDS[type].pending)) await this.#sayPending(config, request);
      throw new CloudRefusal(`error getting node: node ${JSON.stringify(node)} not found`);
    }
    const message = `${type === "move" ? "Target node" : "Node"} "${node}" does not exist`;
    if (isSaid(config, request, "False", message)) return; // until the node exists
    if (type !== "move") await this.#sayPending(config, request);
    await this.#recordEvent(config, at, "False", message);
  }

  async #sayPending(config: CloudPrivateIpConfig, { type, at }: Request): Promise<void> {
    const { name, finalizers } = config;
    await this.#recordEvent(config, at, "Unknown", WORDS[type].pending);
    if (type !== "assign" || finalizers.includes(FINALIZER)) return;
    const value = [...finalizers, FINALIZER];
    await this.#patch(name, { op: "replace", path: "/metadata/finalizers", value });
  }

  /** Writes the cloud's response. */
  async #conclude(config: CloudPrivateIpConfig, request: Request): Promise<undefined> {
    const { type, node, at } = request;
    const { failed, done, log } = WORDS[type];
    const error = this.#errorOf(config, request);
    if (error !== undefined) {
      await this.#recordEvent(config, at, "False", `${failed}${error}`);
      throw new CloudRefusal(
        `error ${log} CloudPrivateIPConfig: "${config.name}", node: "${node}", err: ${error}`,
      );
    }
    if (type === "release" && config.deleting) return this.#letGo(config);
    return this.#recordEvent(config, type === "release" ? "" : node, "True", done);
  }

  #errorOf({ object }: CloudPrivateIpConfig, { type, node: name }: Request): string | undefined {
    const node = this.#kit.nodes.get(name);
    // A release from a deleted node always succeeds.
    return type === "release" && !node ? undefined : refusalOf([object, node]);
  }

  async #recordEvent(
    { name, generation: observedGeneration }: CloudPrivateIpConfig,
    node: string,
    status: Status,
    message: string,
  ): Promise<undefined> {
    const lastTransitionTime = formatTime(this.#kit.clock.now());
    const reason = REASONS[status];
    const condition = { type: "Assigned", status, observedGeneration, lastTransitionTime, reason, message };
    const value = { node, conditions: [condition] };
    await this.#patch(name, { op: "add", path: "/status", value }, "status");
  }

  async #letGo({ name, finalizers }: CloudPrivateIpConfig): Promise<undefined> {
    const value = finalizers.filter((item) => item !== FINALIZER);
    await this.#patch(name, { op: "replace", path: "/metadata/finalizers", value });
  }

  /** A deleted object is ignored. */
  async #patch(name: string, operation: object, subresource = ""): Promise<void> {
    const options = { type: "json", body: [operation], ...(subresource ? { subresource } : {}) } as const;
    await ignoring([404], this.#kit.client.patch(CLOUD_PRIVATE_IP_CONFIGS, keyOf(name), options));
  }
}

/** The next request for the object; "let-go": the cloud has released it, and the finalizer can be removed. */
function nextRequest(config: CloudPrivateIpConfig, mayMove: boolean): Request | "let-go" | undefined {
  const { node: wanted, deleting, finalizers, status } = config;
  if (deleting) {
    if (!finalizers.includes(FINALIZER)) return undefined;
    // Upstream never removes the finalizer of an object without status.node; here it is removed.
    return status.node === "" ? "let-go" : { type: "release", node: status.node, at: status.node };
  }
  if (status.node !== "" && status.node !== wanted) {
    // Some clouds (OpenStack) move an address in one step.
    if (mayMove && wanted !== "") return { type: "move", node: wanted, at: status.node };
    return { type: "release", node: status.node, at: status.node };
  }
  if (wanted !== "" && (status.node === "" || !isDone(config)))
    return { type: "assign", node: wanted, at: wanted };
  return undefined;
}

/** Reports whether the condition already has this status and message. */
function isSaid(
  { status: { node, conditions } }: CloudPrivateIpConfig,
  { at }: Request,
  status: Status,
  message: string,
): boolean {
  const [first] = conditions;
  return node === at && first?.status === status && first.message === message;
}

const keyOf = (name: string): ObjectKey => ({ namespace: "", name });
