// Asks the cloud for addresses: makes, moves and deletes CloudPrivateIPConfigs. Each call reads the object first, so
// repeating one does nothing more. What stands in the way is thrown, to be tried again.

import { parseIp } from "../../meta/ip.ts";
import { equalJson } from "../../meta/json.ts";
import { NestedMap } from "../../meta/nested-map.ts";
import type { Allocator } from "../../verdict/assignment/allocator.ts";
import {
  type CloudPrivateIpConfig,
  OWNER_ANNOTATION,
  readCloudPrivateIpConfig,
} from "../../verdict/assignment/cloud-request.ts";
import {
  type EgressIp,
  preloadRequests,
  type RequestedAddress,
  type StatusItem,
} from "../../verdict/assignment/egress-ip.ts";
import { warning } from "../../verdict/assignment/plan.ts";
import { CLOUD_PRIVATE_IP_CONFIGS, isDone, nameOfAddress } from "../cloud/provider.ts";
import { ignoring } from "../kit/api.ts";
import { errorText } from "../kit/logging.ts";
import { isNewest } from "../kit/settings.ts";
import type { EgressIps } from "./egress-ips.ts";

/** What is said when a request to the API fails. */
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

  /** Asks for the address on the node. What somebody else asked for there is taken as it is. */
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
      this.#egressIps.say(warning(egressIp, "CloudAssignmentRetry", message));
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

  /** Asks for an address that was asked for already to come to the node. True if it has been granted there already. */
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

  /** Gives the address back if `isOurs` agrees. */
  async giveBack(
    requested: RequestedAddress,
    isOurs: (found: CloudPrivateIpConfig) => boolean,
  ): Promise<void> {
    const found = await this.#find(requested.address);
    if (!found || found.deleting || !isOurs(found)) return;
    await this.#attempt("deletion", requested, () => this.#delete(found.name));
  }

  /** The object that is there, which must not be about to go; undefined when it was made now. */
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
      this.#egressIps.say(warning(egressIp, reason, message));
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

// What the cloud's answers mean for the status of an EgressIP. Only a change of a CloudPrivateIPConfig's status is an
// answer: an item that a user takes out does not come back until the cloud speaks again.

export interface Answer {
  readonly type: "granted" | "released";
  readonly egressIp: string;
  readonly item: StatusItem;
}

/** What a change says; nothing where the object does not tell whose the address is. */
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

/** The cloud has done what it was asked. */
const isGranted = (config: CloudPrivateIpConfig | undefined): boolean =>
  config !== undefined && config.node !== "" && config.status.node === config.node && isDone(config);

const SILENCE: CloudPrivateIpConfig["status"] = { node: "", conditions: [] };

/** The node that does not have the address any more. */
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

/** The items after the answers: those given back go, those granted come last, in the order of granting. */
export function applyAnswers(items: readonly StatusItem[], answers: readonly Answer[]): StatusItem[] {
  let after = [...items];
  for (const { type, item } of answers) {
    if (type === "released") after = after.filter((other) => !isSameItem(other, item));
    else if (!after.some((other) => isSameItem(other, item))) after.push(item);
  }
  return after;
}

/** Answers that have not been written yet, by EgressIP. Those about an EgressIP that does not exist yet wait for it. */
export class CloudAnswers {
  /** By EgressIP, then by address and node. */
  readonly #waiting = new NestedMap<Answer>();

  /** A later answer about the same address on the same node takes the place of an earlier one. */
  note(answer: Answer): void {
    const { egressIp, item } = answer;
    const about = `${item.egressIP} ${item.node}`;
    this.#waiting.delete(egressIp, about);
    this.#waiting.set(egressIp, about, answer);
  }

  /** The answers about the EgressIP, in their order; from now on they are the caller's. */
  take(egressIp: string): readonly Answer[] {
    const waiting = [...this.#waiting.of(egressIp).values()];
    this.#waiting.deleteAll(egressIp);
    return waiting;
  }

  /** Puts back what could not be written, before what came since. */
  putBack(egressIp: string, answers: readonly Answer[]): void {
    for (const answer of [...answers, ...this.take(egressIp)]) this.note(answer);
  }

  /** The EgressIP is gone: what was given back does not concern anybody any more. */
  forgetReleases(egressIp: string): void {
    for (const answer of this.take(egressIp)) if (answer.type === "granted") this.note(answer);
  }
}

/** "asked": it was asked for, so it has to be given back, or moved where it is wanted again; "maybe": it left the spec, and
 * may have been asked for. */
type Leaving = "asked" | "maybe";

/** Addresses that their EgressIPs give up, until the cloud has been told. */
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

  /** True while another EgressIP has the address to give back. */
  hasOther(address: string, egressIp: string): boolean {
    const leaving = this.#byAddress.of(address);
    return leaving.size > (leaving.has(egressIp) ? 1 : 0);
  }
}

/**
 * What was so before the controller started: statuses and requests say which addresses are held, and where they do not
 * agree the missing and the superfluous is found: items without a request, which the cloud has taken back in the meantime,
 * and requests that no EgressIP makes any more.
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
