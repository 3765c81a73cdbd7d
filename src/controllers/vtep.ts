// The controller of VTEPs: keeps one from going while networks go over it, and says in the condition Accepted whether it
// can be used: its mode, its networks beside those of other VTEPs, and an address on every node. What is refused is also
// said in an event.
import type { Informer } from "../client/informer.ts";
import { type Cidr, cidrsOverlap, parseCidr } from "../meta/ip.ts";
import { equalJson, objectAt, parsedObject, textAt, textsAt } from "../meta/json.ts";
import { type KubeObject, specOf } from "../meta/object-meta.ts";
import {
  byName,
  CLUSTER_USER_DEFINED_NETWORKS,
  hold,
  isGoing,
  keysIn,
  NODES,
  ovn,
  removeFinalizer,
  subjectOf,
} from "./kit/api.ts";
import { applyConditions, conditionFor, type Said } from "./kit/conditions.ts";
import { defineController } from "./kit/define-controller.ts";
import { isNewest } from "./kit/settings.ts";

const FINALIZER = "k8s.ovn.org/vtep-protection";
const VTEPS = ovn("vteps");
const NODE_VTEPS_ANNOTATION = "k8s.ovn.org/vteps";

export const vtep = defineController({
  name: "vtep",
  summary: "whether VTEPs are accepted",
  fieldManager: "clustermanager-vtep-controller",
  events: "ovnk-controlplane",
  isWanted: isNewest,
  workers: 1,
  watches: {
    nodes: {
      resource: NODES,
      facts: ({ metadata }) => metadata.annotations?.[NODE_VTEPS_ANNOTATION],
      toKeys: (_, { vteps }) => keysIn(vteps),
    },
    cudns: {
      resource: CLUSTER_USER_DEFINED_NETWORKS,
      on: ["add", "delete"],
      toKeys: ({ object }) => [vtepOf(object)],
    },
    vteps: {
      resource: VTEPS,
      toKeys: ({ object, old }, { vteps }) =>
        old && equalJson(old["spec"], object["spec"]) ? [object.metadata.name] : keysIn(vteps),
    },
  },
  prepare: ({ vteps }) => keysIn(vteps),
  async reconcile(name, world) {
    const { vteps, cudns, client, say } = world;
    const object = vteps.get(name);
    if (!object) return;
    const users = keysIn(cudns).filter((key) => vtepOf(cudns.get(key)) === name);
    const held = { client, resource: VTEPS, finalizer: FINALIZER };
    if (isGoing(object)) {
      if (users.length === 0) await removeFinalizer(held, object);
      return;
    }
    await hold(held, object);
    const problem = findProblem(object, world, users);
    const condition = conditionFor("Accepted", problem, ALLOCATED);
    const told = await applyConditions(world, VTEPS, object, [condition]);
    if (told && problem) say({ subject: subjectOf(object), type: "Warning", ...problem });
  },
});

const ALLOCATED: Said = { reason: "Allocated", message: "VTEP allocation succeeded" };

/** The VTEP that a ClusterUserDefinedNetwork goes over. */
const vtepOf = (cudn: KubeObject | undefined): string | undefined =>
  textAt(objectAt(objectAt(specOf(cudn), "network"), "evpn"), "vtep") || undefined;

/** Why the VTEP cannot be used; `users` are the ClusterUserDefinedNetworks that go over it, by name. */
function findProblem(
  vtep: KubeObject,
  { vteps, nodes }: { readonly vteps: Informer; readonly nodes: Informer },
  users: readonly string[],
): Said | undefined {
  if (specOf(vtep)["mode"] !== "Unmanaged") {
    const message = "Managed VTEP mode is not yet implemented; only Unmanaged mode is currently supported";
    return { reason: "ManagedModeNotSupported", message };
  }
  const overlapping = findOverlapping(vtep, vteps.list()).join(", ");
  if (overlapping) return { reason: "CIDROverlap", message: `CIDRs overlap with VTEPs: [${overlapping}]` };
  const ipv6 = findIpv6(vtep, users).join("\n");
  if (ipv6) return { reason: "EVPNIPv6NotSupported", message: ipv6 };
  const { name = "" } = vtep.metadata;
  const missing = [...nodes.list()].sort(byName).flatMap((node) => findMissingAddress(name, node) ?? []);
  return missing.length > 0 ? { reason: "AllocationFailed", message: missing.join("\n") } : undefined;
}

const cidrsOf = (vtep: KubeObject): Cidr[] =>
  textsAt(specOf(vtep), "cidrs").flatMap((text) => parseCidr(text) ?? []);

/** The names of other VTEPs that share addresses. */
function findOverlapping(vtep: KubeObject, others: Iterable<KubeObject>): string[] {
  const own = cidrsOf(vtep);
  return [...others]
    .filter(({ metadata }) => metadata.name !== vtep.metadata.name)
    .filter((other) => cidrsOf(other).some((cidr) => own.some((mine) => cidrsOverlap(mine, cidr))))
    .map(({ metadata }) => metadata.name ?? "")
    .sort();
}

/** EVPN goes over IPv4 only. */
function findIpv6(vtep: KubeObject, users: readonly string[]): string[] {
  const texts = users.length === 0 ? [] : textsAt(specOf(vtep), "cidrs");
  return texts
    .filter((text) => parseCidr(text)?.family === 6)
    .map(
      (text) =>
        `VTEP ${vtep.metadata.name} contains IPv6 CIDR ${text} but is referenced by EVPN CUDNs ` +
        `[${users.join(", ")}]; IPv6 VTEPs are not supported for EVPN transport`,
    );
}

function findMissingAddress(
  vtep: string,
  { metadata: { name, annotations } }: KubeObject,
): string | undefined {
  const text = annotations?.[NODE_VTEPS_ANNOTATION];
  if (text === undefined) return `node ${name} is missing the ${NODE_VTEPS_ANNOTATION} annotation`;
  const entries = parsedObject(text);
  if (!entries) return `failed to parse ${NODE_VTEPS_ANNOTATION} annotation on node ${name}`;
  const entry = objectAt(entries, vtep);
  if (!entry) return `node ${name} has no entry for VTEP ${vtep} in ${NODE_VTEPS_ANNOTATION} annotation`;
  const addresses = entry["ips"];
  if (Array.isArray(addresses) && addresses.length > 0) return undefined;
  return `node ${name} has an empty IP list for VTEP ${vtep}`;
}
