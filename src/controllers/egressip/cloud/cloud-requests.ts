// Asks the cloud for addresses: makes, moves and deletes CloudPrivateIPConfigs. Each call reads the object first, so
// repeating one does nothing more. What stands in the way is thrown, to be tried again.
import { parseIp } from "../../../meta/ip.ts";
import {
  CLOUD_PRIVATE_IP_CONFIGS,
  type CloudPrivateIpConfig,
  nameOfAddress,
  OWNER_ANNOTATION,
  readCloudPrivateIpConfig,
} from "../../cloud/cloud-private-ip-config.ts";
import { ignoring } from "../../kit/api.ts";
import { errorText } from "../../kit/logging.ts";
import type { RequestedAddress } from "../egress-ip.ts";
import {
  cloudAssignmentFailed,
  cloudAssignmentRetry,
  cloudDeletionFailed,
  cloudUpdateFailed,
} from "../events.ts";
import type { Standing } from "../placement/placement.ts";

export class CloudRequests {
  readonly #standing: Standing;

  constructor(standing: Standing) {
    this.#standing = standing;
  }

  /** Asks for the address on the node. What somebody else asked for there is taken as it is. */
  async request(requested: RequestedAddress, node: string): Promise<void> {
    const found = await this.#find(requested.address);
    if (!found) return this.#create(requested, node);
    refuseDeleting(found);
    if (this.#failedOnLostNode(found)) return this.#startOver(requested, found);
    if (found.node === node) return;
    throw new Error(
      `cloud request failed for CloudPrivateIPConfig: ${found.name}, err: cannot be assigned to node ${node} because cloud has it in node ${found.node}`,
    );
  }

  /** Asks for an address that was asked for already to come to the node. */
  async move(requested: RequestedAddress, node: string): Promise<void> {
    const found = await this.#find(requested.address);
    if (!found) return this.#create(requested, node);
    refuseDeleting(found);
    if (found.node === node) return;
    const body = { spec: { node } };
    try {
      await this.#standing.kit.client.patch(CLOUD_PRIVATE_IP_CONFIGS, keyOf(found.name), {
        type: "merge",
        body,
      });
    } catch (error) {
      this.#standing.say([cloudUpdateFailed(requested, errorText(error))]);
      throw new Error(
        `cloud update request failed for CloudPrivateIPConfig: ${found.name}, err: ${errorText(error)}`,
      );
    }
  }

  /** Gives the address back if `isOurs` agrees. */
  async giveBack(
    requested: RequestedAddress,
    isOurs: (found: CloudPrivateIpConfig) => boolean,
  ): Promise<void> {
    const found = await this.#find(requested.address);
    if (!found || found.deleting || !isOurs(found)) return;
    try {
      await this.#delete(found.name);
    } catch (error) {
      this.#standing.say([cloudDeletionFailed(requested, errorText(error))]);
      throw new Error(
        `cloud deletion request failed for CloudPrivateIPConfig: ${found.name}, err: ${errorText(error)}`,
      );
    }
  }

  async #create(requested: RequestedAddress, node: string): Promise<void> {
    const name = nameOf(requested.address);
    try {
      await this.#standing.kit.client.create(CLOUD_PRIVATE_IP_CONFIGS, {
        apiVersion: "cloud.network.openshift.io/v1",
        kind: "CloudPrivateIPConfig",
        metadata: { name, annotations: { [OWNER_ANNOTATION]: requested.egressIp } },
        spec: { node },
      });
    } catch (error) {
      this.#standing.say([cloudAssignmentFailed(requested, errorText(error))]);
      throw new Error(`cloud add request failed for CloudPrivateIPConfig: ${name}, err: ${errorText(error)}`);
    }
  }

  #failedOnLostNode({ status }: CloudPrivateIpConfig): boolean {
    const assigned = status.conditions.find(({ type }) => type === "Assigned");
    return status.node !== "" && assigned?.status === "False" && !this.#standing.kit.nodes.get(status.node);
  }

  async #startOver(requested: RequestedAddress, { name, status }: CloudPrivateIpConfig): Promise<void> {
    const reason = status.conditions.find(({ type }) => type === "Assigned")?.message ?? "";
    this.#standing.say([cloudAssignmentRetry(requested, status.node, reason)]);
    await this.#delete(name);
    throw new Error(
      `deleted failed CloudPrivateIPConfig: ${name}, will retry creation in next reconciliation`,
    );
  }

  async #find(address: string): Promise<CloudPrivateIpConfig | undefined> {
    const { client } = this.#standing.kit;
    const found = await ignoring([404], client.get(CLOUD_PRIVATE_IP_CONFIGS, keyOf(nameOf(address))));
    return found && readCloudPrivateIpConfig(found);
  }

  async #delete(name: string): Promise<void> {
    await ignoring([404], this.#standing.kit.client.delete(CLOUD_PRIVATE_IP_CONFIGS, keyOf(name)));
  }
}

const keyOf = (name: string) => ({ namespace: "", name });

function nameOf(address: string): string {
  const ip = parseIp(address);
  return ip ? nameOfAddress(ip) : address;
}

function refuseDeleting({ name, deleting }: CloudPrivateIpConfig): void {
  if (deleting)
    throw new Error(`cloud update request failed, CloudPrivateIPConfig: ${name} is being deleted`);
}
