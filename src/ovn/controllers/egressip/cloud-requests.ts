// Creates, moves and deletes CloudPrivateIPConfigs. Each call reads the object first, so calls are idempotent. Conflicts are
// thrown, and the work queue retries.

import { equalJson } from "../../../apimachinery/json/json.ts";
import { parseIp } from "../../../apimachinery/meta/ip.ts";
import { NestedMap } from "../../../apimachinery/meta/nested-map.ts";
import { ignoring } from "../../../controller/api.ts";
import { errorText } from "../../../controller/logging.ts";
import { isNewest } from "../../../controller/settings.ts";
import type { Allocator } from "../../assignment/allocator.ts";
import {
  type CloudPrivateIpConfig,
  OWNER_ANNOTATION,
  readCloudPrivateIpConfig,
} from "../../assignment/cloud-request.ts";
import {
  type EgressIp,
  preloadRequests,
  type RequestedAddress,
  type StatusItem,
} from "../../assignment/egress-ip-spec.ts";
import { warning } from "../../assignment/plan.ts";
import { CLOUD_PRIVATE_IP_CONFIGS, isDone, nameOfAddress } from "../cloud/provider.ts";
import type { EgressIps } from "./egress-ips.ts";

/** Event reason and verb for failed API requests. */
const FAILURES = {
  add: ["CloudAssignmentFailed", "created"],
  update: ["CloudUpdateFailed", "updated"],
  deletion: ["CloudDeletionFailed", "deleted"],
} as const;

export class CloudRequests {
  readonly #egressIps: EgressIps;

  constructor(egressIps: EgressIps) {
    this.#egressIps = egressIps;
  }

  /** Requests the address on the node. An existing object for this node is accepted, whatever its owner. */
  async request(requested: RequestedAddress, node: string): Promise<void> {
    const found = await this.#findOrCreate(requested, node);
    if (!found) return;
    const { name, status } = found;
    const assigned = status.conditions.find(({ type }) => type === "Assigned");
    const { nodes, settings } = this.#egressIps.kit;
    const hasFailed = status.node !== "" && assigned?.status === "False" && !nodes.get(status.node);
    if (hasFailed && isNewest(settings)) {
      const { egressIp, address } = requested;
      const failed = `previously failed on deleted node ${status.node} (reason: ${assigned.message})`;
      const message = `egress IP: ${address} ${failed}, will retry assignment`;
      this.#egressIps.recordEvent(warning(egressIp, "CloudAssignmentRetry", message));
      await this.#delete(name);
      throw new Error(
        `deleted failed CloudPrivateIPConfig: ${name}, will retry creation in next reconciliation`,
      );
    }
    if (found.node === node) return;
    throw new Error(
      `cloud request failed for CloudPrivateIPConfig: ${name}, err: cannot be assigned to node ${node} because cloud has it in node ${found.node}`,
    );
  }

  /** Moves an existing request to the node. Returns true if the cloud has already granted it there. */
  async move(requested: RequestedAddress, node: string): Promise<boolean> {
    const found = await this.#findOrCreate(requested, node);
    if (!found || found.node === node) return isGranted(found);
    const options = { type: "merge", body: { spec: { node } } } as const;
    const { client } = this.#egressIps.kit;
    await this.#attempt("update", requested, () =>
      client.patch(CLOUD_PRIVATE_IP_CONFIGS, keyOf(found.name), options),
    );
    return false;
  }

  /** Deletes the request for the address if `isOurs` returns true. */
  async giveBack(
    requested: RequestedAddress,
    isOurs: (found: CloudPrivateIpConfig) => boolean,
  ): Promise<void> {
    const found = await this.#find(requested.address);
    if (!found || found.deleting || !isOurs(found)) return;
    await this.#attempt("deletion", requested, () => this.#delete(found.name));
  }

  /** Returns the existing object; undefined if it was created now. Throws if the object is being deleted. */
  async #findOrCreate(requested: RequestedAddress, node: string): Promise<CloudPrivateIpConfig | undefined> {
    const found = await this.#find(requested.address);
    if (found?.deleting) {
      throw new Error(`cloud update request failed, CloudPrivateIPConfig: ${found.name} is being deleted`);
    }
    if (found) return found;
    const object = {
      apiVersion: "cloud.network.openshift.io/v1",
      kind: "CloudPrivateIPConfig",
      metadata: {
        name: nameOf(requested.address),
        annotations: { [OWNER_ANNOTATION]: requested.egressIp },
      },
      spec: { node },
    };
    const { client } = this.#egressIps.kit;
    await this.#attempt("add", requested, () => client.create(CLOUD_PRIVATE_IP_CONFIGS, object));
    return undefined;
  }

  async #attempt(
    verb: keyof typeof FAILURES,
    { egressIp, address }: RequestedAddress,
    act: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await act();
    } catch (error) {
      const text = errorText(error);
      const [reason, done] = FAILURES[verb];
      const message = `egress IP: ${address} for object EgressIP: ${egressIp} could not be ${done}, err: ${text}`;
      this.#egressIps.recordEvent(warning(egressIp, reason, message));
      throw new Error(
        `cloud ${verb} request failed for CloudPrivateIPConfig: ${nameOf(address)}, err: ${text}`,
      );
    }
  }

  async #find(address: string): Promise<CloudPrivateIpConfig | undefined> {
    const { client } = this.#egressIps.kit;
    const found = await ignoring([404], client.get(CLOUD_PRIVATE_IP_CONFIGS, keyOf(nameOf(address))));
    return found && readCloudPrivateIpConfig(found);
  }

  async #delete(name: string): Promise<void> {
    await ignoring([404], this.#egressIps.kit.client.delete(CLOUD_PRIVATE_IP_CONFIGS, keyOf(name)));
  }
}

const keyOf = (name: string) => ({ namespace: "", name });

function nameOf(address: string): string {
  const ip = parseIp(address);
  return ip ? nameOfAddress(ip) : address;
}

// Effects of the cloud's responses on the status of an EgressIP. Only a status change of a CloudPrivateIPConfig is a
// response: an item that a user removes is not restored before the next response.

export interface Answer {
  readonly type: "granted" | "released";
  readonly egressIp: string;
  readonly item: StatusItem;
}

/** The responses in a change; empty if the object has no owner annotation. */
export function answersTo(
  before: CloudPrivateIpConfig | undefined,
  now: CloudPrivateIpConfig | undefined,
): Answer[] {
  if (equalJson(before?.status ?? SILENCE, now?.status ?? SILENCE)) return [];
  const answers: Answer[] = [];
  const from = releasedNode(before, now);
  if (before && from !== undefined) {
    if (before.owner === undefined) return [];
    const item = { egressIP: before.address ?? "", node: from };
    answers.push({ type: "released", egressIp: before.owner, item });
  }
  if (now && isGranted(now) && now.owner !== undefined) {
    const item = { egressIP: now.address ?? "", node: now.node };
    answers.push({ type: "granted", egressIp: now.owner, item });
  }
  return answers;
}

/** Reports whether the cloud has granted the address on spec.node. */
const isGranted = (config: CloudPrivateIpConfig | undefined): boolean =>
  config !== undefined && config.node !== "" && config.status.node === config.node && isDone(config);

const SILENCE: CloudPrivateIpConfig["status"] = { node: "", conditions: [] };

/** The node that the address was released from; undefined if none. */
function releasedNode(
  before: CloudPrivateIpConfig | undefined,
  now: CloudPrivateIpConfig | undefined,
): string | undefined {
  if (!now) return before?.node;
  const from = before?.status.node;
  return from && from !== now.status.node && isDone(now) ? from : undefined;
}

export const isSameItem = (a: StatusItem, b: StatusItem): boolean =>
  a.egressIP === b.egressIP && a.node === b.node;

/** Removes released items, and appends granted ones in the order of the responses. */
export function applyAnswers(items: readonly StatusItem[], answers: readonly Answer[]): StatusItem[] {
  let after = [...items];
  for (const { type, item } of answers) {
    if (type === "released") after = after.filter((other) => !isSameItem(other, item));
    else if (!after.some((other) => isSameItem(other, item))) after.push(item);
  }
  return after;
}

/** Responses that are not written yet, by EgressIP. They are kept if the EgressIP does not exist yet. */
export class CloudAnswers {
  /** By EgressIP, then by address and node. */
  readonly #waiting = new NestedMap<Answer>();

  /** Adds a response; it replaces an earlier one for the same address and node. */
  note(answer: Answer): void {
    const { egressIp, item } = answer;
    const about = `${item.egressIP} ${item.node}`;
    this.#waiting.delete(egressIp, about);
    this.#waiting.set(egressIp, about, answer);
  }

  /** Removes and returns the responses of the EgressIP, in order. */
  take(egressIp: string): readonly Answer[] {
    const waiting = [...this.#waiting.of(egressIp).values()];
    this.#waiting.deleteAll(egressIp);
    return waiting;
  }

  /** Restores responses after a failed write, before newer ones. */
  putBack(egressIp: string, answers: readonly Answer[]): void {
    for (const answer of [...answers, ...this.take(egressIp)]) this.note(answer);
  }

  /** Drops release responses of a deleted EgressIP. */
  forgetReleases(egressIp: string): void {
    for (const answer of this.take(egressIp)) if (answer.type === "granted") this.note(answer);
  }
}

/** "asked": a request exists, which must be deleted, or moved if the address is needed again; "maybe": the address left the
 * spec, and a request may exist. */
type Leaving = "asked" | "maybe";

/** Addresses that EgressIPs release, until their requests are deleted. */
export class Leavers {
  readonly #byEgressIp = new NestedMap<Leaving>();
  readonly #byAddress = new NestedMap<true>();

  add(egressIp: string, address: string, how: Leaving): void {
    this.#byAddress.set(address, egressIp, true);
    if (this.#byEgressIp.of(egressIp).get(address) !== "asked") this.#byEgressIp.set(egressIp, address, how);
  }

  of(egressIp: string): readonly (readonly [address: string, how: Leaving])[] {
    return [...this.#byEgressIp.of(egressIp)];
  }

  done(egressIp: string, address: string): void {
    this.#byEgressIp.delete(egressIp, address);
    this.#byAddress.delete(address, egressIp);
  }

  /** Reports whether another EgressIP still has to release the address. */
  hasOther(address: string, egressIp: string): boolean {
    const leaving = this.#byAddress.of(address);
    return leaving.size > (leaving.has(egressIp) ? 1 : 0);
  }
}

/**
 * Rebuilds allocations from statuses and requests after a start. Returns the differences: items without a request, which the
 * cloud has released in the meantime (`lost`), and requests that no EgressIP needs any more (`orphans`).
 */
export function preloadCloud(
  allocator: Allocator,
  egressIps: readonly EgressIp[],
  configs: readonly CloudPrivateIpConfig[],
) {
  const orphans = preloadRequests(allocator, egressIps, configs);
  const asked = new Set(configs.map(({ address }) => address));
  const lost = egressIps.flatMap(({ name, items }) =>
    items
      .filter(({ egressIP }) => !asked.has(parseIp(egressIP)?.text) || !parseIp(egressIP))
      .map((item): Answer => ({ type: "released", egressIp: name, item })),
  );
  return { lost, orphans };
}
