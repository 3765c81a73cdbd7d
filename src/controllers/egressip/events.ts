// What the EgressIP controller says about an EgressIP. Success is silent.
import type { Occurrence } from "../kit/event-correlator.ts";
import type { RequestedAddress } from "./egress-ip.ts";
import { EGRESS_ASSIGNABLE_LABEL } from "./node-state.ts";

const warning = (name: string, reason: string, message: string): Occurrence => ({
  subject: { kind: "EgressIP", name },
  type: "Warning",
  reason,
  message,
});

export const noAssignableNodes = (name: string): Occurrence =>
  warning(
    name,
    "NoMatchingNodeFound",
    `no assignable nodes for EgressIP: ${name}, please tag at least one node with label: ${EGRESS_ASSIGNABLE_LABEL}`,
  );

export const noMatchingNodes = (name: string, addresses: readonly string[]): Occurrence =>
  warning(
    name,
    "NoMatchingNodeFound",
    `No matching nodes found, which can host any of the egress IPs: [${addresses.join(" ")}] for object EgressIP: ${name}`,
  );

export const notAllAssigned = (name: string): Occurrence =>
  warning(
    name,
    "UnassignedRequest",
    `Not all egress IPs for EgressIP: ${name} could be assigned, please tag more nodes`,
  );

export const hostConflict = (name: string, address: string, node: string): Occurrence =>
  warning(
    name,
    "EgressIPConflict",
    `Egress IP ${name} with IP ${address} is conflicting with a host (${node}) IP address and will not be assigned`,
  );

/** As older products say it. */
export const isNodeAddress = (name: string, address: string, node: string): Occurrence =>
  warning(
    name,
    "UnsupportedRequest",
    `Egress IP: ${address} for object EgressIP: ${name} is the IP address of node: ${node}, this is unsupported`,
  );

export const alreadyAllocated = (
  name: string,
  address: string,
  holder: { readonly egressIp: string; readonly node: string },
): Occurrence =>
  warning(
    name,
    "UnsupportedRequest",
    `IP: "${address}" for EgressIP: ${name} is already allocated for EgressIP: ${holder.egressIp} on ${holder.node}`,
  );

export const invalidAddress = (name: string, text: string): Occurrence =>
  warning(
    name,
    "InvalidEgressIP",
    `egress IP: ${text} for object EgressIP: ${name} is not a valid IP address`,
  );

const notDone =
  (reason: string, verb: string) =>
  ({ egressIp, address }: RequestedAddress, error: string): Occurrence =>
    warning(
      egressIp,
      reason,
      `egress IP: ${address} for object EgressIP: ${egressIp} could not be ${verb}, err: ${error}`,
    );

export const cloudAssignmentFailed = notDone("CloudAssignmentFailed", "created");
export const cloudUpdateFailed = notDone("CloudUpdateFailed", "updated");
export const cloudDeletionFailed = notDone("CloudDeletionFailed", "deleted");

/** Of a request that the cloud refused for a node that is gone by now. */
export const cloudAssignmentRetry = (
  { egressIp, address }: RequestedAddress,
  node: string,
  reason: string,
): Occurrence =>
  warning(
    egressIp,
    "CloudAssignmentRetry",
    `egress IP: ${address} previously failed on deleted node ${node} (reason: ${reason}), will retry assignment`,
  );

/** Of a pod that another EgressIP serves already. */
export const servedByAnother = (name: string, pod: PodName, serving: string): Occurrence =>
  warning(
    name,
    "UndefinedRequest",
    `EgressIP object ${name} will not be configured for pod ${pod.namespace}_${pod.name} since another egressIP object ${serving} is serving it, this is undefined`,
  );

interface PodName {
  readonly namespace: string;
  readonly name: string;
}
