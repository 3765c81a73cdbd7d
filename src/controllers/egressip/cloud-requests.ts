// Asks the cloud for addresses: makes, moves and deletes CloudPrivateIPConfigs. Each call reads the object first, so
// repeating one does nothing more. What stands in the way is thrown, to be tried again.
import { parseIp } from "../../meta/ip.ts";
import {
  CLOUD_PRIVATE_IP_CONFIGS,
  type CloudPrivateIpConfig,
  nameOfAddress,
  OWNER_ANNOTATION,
  readCloudPrivateIpConfig,
} from "../cloud/cloud-private-ip-config.ts";
import { ignoring } from "../kit/api.ts";
import { errorText } from "../kit/logging.ts";
import type { RequestedAddress } from "./egress-ip.ts";
import type { EgressIps } from "./egress-ips.ts";
import {
  cloudAssignmentFailed,
  cloudAssignmentRetry,
  cloudDeletionFailed,
  cloudUpdateFailed,
} from "./plan.ts";

/** What is said when a request to the API fails. */
const FAILURES = {
  add: cloudAssignmentFailed,
  update: cloudUpdateFailed,
  deletion: cloudDeletionFailed,
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
    if (status.node !== "" && assigned?.status === "False" && !this.#egressIps.kit.nodes.get(status.node)) {
      const { egressIp, address } = requested;
      const failed = { address, node: status.node, reason: assigned.message };
      this.#egressIps.say(cloudAssignmentRetry(egressIp, failed));
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

  /** Asks for an address that was asked for already to come to the node. */
  async move(requested: RequestedAddress, node: string): Promise<void> {
    const found = await this.#findOrCreate(requested, node);
    if (!found || found.node === node) return;
    const options = { type: "merge", body: { spec: { node } } } as const;
    const { client } = this.#egressIps.kit;
    await this.#attempt("update", requested, () =>
      client.patch(CLOUD_PRIVATE_IP_CONFIGS, keyOf(found.name), options),
    );
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
      this.#egressIps.say(FAILURES[verb](egressIp, { address, error: text }));
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
