// What the EgressIP controller says about an EgressIP. Success is silent.
import type { Occurrence } from "../kit/event-correlator.ts";
import { EGRESS_ASSIGNABLE_LABEL } from "./node-state.ts";

interface OnNode {
  readonly address: string;
  readonly node: string;
}

/** An event whose message is made of the EgressIP's name and what else there is to say. */
const warning =
  <About = void>(reason: string, messageOf: (name: string, about: About) => string) =>
  (name: string, about: About): Occurrence => ({
    subject: { kind: "EgressIP", name },
    type: "Warning",
    reason,
    message: messageOf(name, about),
  });

export const noAssignableNodes = warning(
  "NoMatchingNodeFound",
  (name) =>
    `no assignable nodes for EgressIP: ${name}, please tag at least one node with label: ${EGRESS_ASSIGNABLE_LABEL}`,
);

export const noMatchingNodes = warning(
  "NoMatchingNodeFound",
  (name, addresses: readonly string[]) =>
    `No matching nodes found, which can host any of the egress IPs: [${addresses.join(" ")}] for object EgressIP: ${name}`,
);

export const notAllAssigned = warning(
  "UnassignedRequest",
  (name) => `Not all egress IPs for EgressIP: ${name} could be assigned, please tag more nodes`,
);

export const hostConflict = warning(
  "EgressIPConflict",
  (name, { address, node }: OnNode) =>
    `Egress IP ${name} with IP ${address} is conflicting with a host (${node}) IP address and will not be assigned`,
);

/** As older products say it. */
export const isNodeAddress = warning(
  "UnsupportedRequest",
  (name, { address, node }: OnNode) =>
    `Egress IP: ${address} for object EgressIP: ${name} is the IP address of node: ${node}, this is unsupported`,
);

export const alreadyAllocated = warning(
  "UnsupportedRequest",
  (name, { address, egressIp, node }: OnNode & { readonly egressIp: string }) =>
    `IP: "${address}" for EgressIP: ${name} is already allocated for EgressIP: ${egressIp} on ${node}`,
);

export const invalidAddress = warning(
  "InvalidEgressIP",
  (name, text: string) => `egress IP: ${text} for object EgressIP: ${name} is not a valid IP address`,
);

const cloudFailed = (reason: string, verb: string) =>
  warning(
    reason,
    (name, { address, error }: { readonly address: string; readonly error: string }) =>
      `egress IP: ${address} for object EgressIP: ${name} could not be ${verb}, err: ${error}`,
  );

export const cloudAssignmentFailed = cloudFailed("CloudAssignmentFailed", "created");
export const cloudUpdateFailed = cloudFailed("CloudUpdateFailed", "updated");
export const cloudDeletionFailed = cloudFailed("CloudDeletionFailed", "deleted");

/** Of a request that the cloud refused for a node that is gone by now. */
export const cloudAssignmentRetry = warning(
  "CloudAssignmentRetry",
  (_name, { address, node, reason }: OnNode & { readonly reason: string }) =>
    `egress IP: ${address} previously failed on deleted node ${node} (reason: ${reason}), will retry assignment`,
);
