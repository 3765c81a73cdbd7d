// Why an address of an EgressIP moved: the refusal of its former node at the time of the move.

import { parseIp } from "../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Refusal } from "../assignment/allocator.ts";
import { assignmentOf } from "../assignment/assignment.ts";
import { wantedBy } from "../assignment/egress-ip-spec.ts";
import { type Cluster, objectKey } from "../cluster/cluster.ts";
import { type MovedAddress, movedAddresses } from "../moved-addresses.ts";
import { egressIpView } from "../trace/egress-ip-source.ts";
import { counted } from "./explanation.ts";

export interface Move extends MovedAddress {
  readonly why: string;
}

const WHY: Readonly<Record<Refusal, string>> = {
  "left out": "became one without a network of pods",
  "not labelled": "lost the label k8s.ovn.org/egress-assignable",
  "not ready": "was not Ready any more",
  "not known": "had annotations that could not be read",
  "not reachable": "did not answer any more",
  "no network": "had no network for the address any more",
  "secondary elsewhere": "was not among the nodes with the address in a secondary network",
  "in use": "had another address of the EgressIP",
  full: "had used up its capacity",
};

/** The moves of one status write. `then` is the cluster that the controller read before the write. */
export function movesBetween(then: Cluster, before: KubeObject | undefined, after: KubeObject): Move[] {
  return movedAddresses(before && egressIpView(before), egressIpView(after)).map((moved) => {
    const { address, from, to = "" } = moved;
    const why = from === undefined ? whyPlaced(then, to) : whyLeft(then, after, address, from);
    return { ...moved, why };
  });
}

const whyPlaced = (then: Cluster, to: string): string =>
  `${to} could have it, of ${counted(then.nodes.size, "node")}`;

function whyLeft(then: Cluster, egressIp: KubeObject, address: string, from: string): string {
  const name = objectKey(egressIp);
  const { allocator, egressIps } = assignmentOf(then);
  const known = egressIps.get(name);
  const wanted = known && wantedBy(known);
  if (wanted && !wanted.has(address)) return "the EgressIP does not ask for it any more";
  if (!then.nodes.has(from)) return `${from} was gone`;
  const ip = parseIp(address);
  const planned = new Map([...allocator.heldBy(name)].filter(([held]) => held !== address));
  const found = ip && allocator.judge(name, ip, planned).find(({ node }) => node === from);
  return found?.refusal === undefined
    ? "the status was changed by somebody else"
    : `${from} ${WHY[found.refusal]}`;
}
