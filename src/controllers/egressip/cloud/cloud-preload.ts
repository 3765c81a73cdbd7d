// What was so before the controller started, on a cloud: statuses and requests say which addresses are held, and where
// they do not agree the missing and the superfluous is found.
import { parseIp } from "../../../meta/ip.ts";
import type { CloudPrivateIpConfig } from "../../cloud/cloud-private-ip-config.ts";
import { type EgressIp, type RequestedAddress, readRequested } from "../egress-ip.ts";
import type { Allocator } from "../placement/allocator.ts";
import { preloadItems } from "../placement/preload.ts";
import type { Answer } from "./cloud-answers.ts";

export interface Preloaded {
  /** Items without a request: what the cloud has taken back in the meantime. */
  readonly lost: readonly Answer[];
  /** Requests that no EgressIP makes any more. */
  readonly orphans: readonly RequestedAddress[];
}

export function preloadCloud(
  allocator: Allocator,
  egressIps: readonly EgressIp[],
  configs: readonly CloudPrivateIpConfig[],
): Preloaded {
  preloadItems(allocator, egressIps);
  const byName = new Map(egressIps.map((egressIp) => [egressIp.name, egressIp]));
  const orphans: RequestedAddress[] = [];
  for (const { owner: egressIp, address, node, deleting } of configs) {
    if (egressIp === undefined || address === undefined || deleting) continue;
    const wanted = readWanted(byName.get(egressIp));
    if (wanted === "unknown") continue;
    if (wanted.has(address)) keepRequest(allocator, { egressIp, address }, node);
    else orphans.push({ egressIp, address });
  }
  const asked = new Set(configs.map(({ address }) => address));
  const lost = egressIps.flatMap(({ name, items }) =>
    items
      .filter(({ egressIP }) => !asked.has(parseIp(egressIP)?.text) || !parseIp(egressIP))
      .map((item): Answer => ({ type: "released", egressIp: name, item })),
  );
  return { lost, orphans };
}

function readWanted(egressIp: EgressIp | undefined): ReadonlySet<string> | "unknown" {
  const wanted = egressIp ? readRequested(egressIp) : new Map<string, unknown>();
  return "invalid" in wanted ? "unknown" : new Set(wanted.keys());
}

/** What was asked for already is held on the node it was asked for, as far as that is a node to ask for. */
export function keepRequest(
  allocator: Allocator,
  { egressIp, address }: RequestedAddress,
  node: string,
): void {
  const ip = parseIp(address);
  const nodes = [...allocator.heldBy(egressIp).values()];
  if (ip && allocator.canHost(node, ip) && !nodes.includes(node)) allocator.allocate(egressIp, address, node);
}
