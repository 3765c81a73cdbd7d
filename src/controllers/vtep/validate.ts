// Whether a VTEP can be used: its mode, its networks beside those of other VTEPs, and an address on every node.
import { type Cidr, cidrsOverlap, parseCidr } from "../../meta/ip.ts";
import { isObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { type Condition, fitting } from "../networks/conditions.ts";

export interface VtepWorld {
  readonly vteps: Iterable<KubeObject>;
  readonly nodes: Iterable<KubeObject>;
  /** ClusterUserDefinedNetworks that go over the VTEP, by name. */
  readonly users: readonly string[];
}

export const NODE_VTEPS_ANNOTATION = "k8s.ovn.org/vteps";

/** The condition Accepted. */
export function accepted(vtep: KubeObject, world: VtepWorld): Condition {
  const refused = (reason: string, message: string): Condition => ({
    type: "Accepted",
    status: "False",
    reason,
    message: fitting(message),
  });
  if (specOf(vtep)["mode"] !== "Unmanaged") {
    return refused(
      "ManagedModeNotSupported",
      "Managed VTEP mode is not yet implemented; only Unmanaged mode is currently supported",
    );
  }
  const overlaps = findOverlaps(vtep, world.vteps);
  if (overlaps !== undefined) return refused("CIDROverlap", overlaps);
  const families = findIpv6(vtep, world.users);
  if (families !== undefined) return refused("EVPNIPv6NotSupported", families);
  const missing = findMissingAddresses(vtep, world.nodes);
  if (missing !== undefined) return refused("AllocationFailed", missing);
  return { type: "Accepted", status: "True", reason: "Allocated", message: "VTEP allocation succeeded" };
}

function findOverlaps(vtep: KubeObject, others: Iterable<KubeObject>): string | undefined {
  const own = networksOf(vtep);
  const names = [...others]
    .filter(({ metadata }) => metadata.name !== vtep.metadata.name)
    .filter((other) => networksOf(other).some((cidr) => own.some((mine) => cidrsOverlap(mine, cidr))))
    .map(({ metadata }) => metadata.name ?? "");
  return names.length > 0 ? `CIDRs overlap with VTEPs: [${names.sort().join(", ")}]` : undefined;
}

/** EVPN goes over IPv4 only. */
function findIpv6(vtep: KubeObject, users: readonly string[]): string | undefined {
  if (users.length === 0) return undefined;
  const { name } = vtep.metadata;
  return joined(
    textsOf(vtep)
      .filter((text) => parseCidr(text)?.family === 6)
      .map(
        (text) =>
          `VTEP ${name} contains IPv6 CIDR ${text} but is referenced by EVPN CUDNs [${users.join(", ")}]; ` +
          "IPv6 VTEPs are not supported for EVPN transport",
      ),
  );
}

function findMissingAddresses({ metadata }: KubeObject, nodes: Iterable<KubeObject>): string | undefined {
  const byName = [...nodes].sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  return joined(byName.map((node) => findMissingAddress(metadata.name ?? "", node)));
}

function findMissingAddress(vtep: string, { metadata }: KubeObject): string | undefined {
  const { name, annotations } = metadata;
  const text = annotations?.[NODE_VTEPS_ANNOTATION];
  if (text === undefined) return `node ${name} is missing the ${NODE_VTEPS_ANNOTATION} annotation`;
  const entries = parseObject(text);
  if (!entries) return `failed to parse ${NODE_VTEPS_ANNOTATION} annotation on node ${name}`;
  const entry = objectAt(entries, vtep);
  if (!entry) return `node ${name} has no entry for VTEP ${vtep} in ${NODE_VTEPS_ANNOTATION} annotation`;
  const addresses = entry["ips"];
  if (Array.isArray(addresses) && addresses.length > 0) return undefined;
  return `node ${name} has an empty IP list for VTEP ${vtep}`;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function joined(complaints: readonly (string | undefined)[]): string | undefined {
  const found = complaints.filter((complaint) => complaint !== undefined);
  return found.length > 0 ? found.join("\n") : undefined;
}

const specOf = ({ spec }: KubeObject): Record<string, unknown> => (isObject(spec) ? spec : {});

function textsOf(vtep: KubeObject): string[] {
  const cidrs = specOf(vtep)["cidrs"];
  return Array.isArray(cidrs) ? cidrs.map(String) : [];
}

const networksOf = (vtep: KubeObject): Cidr[] => textsOf(vtep).flatMap((text) => parseCidr(text) ?? []);
