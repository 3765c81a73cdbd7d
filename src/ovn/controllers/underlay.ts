// VTEPs and Uplinks of user-defined networks. Their controllers add a finalizer while a network uses the object. Condition
// Accepted of a VTEP, and an event if it is False, reports its validation: mode, overlaps with other VTEPs, and an address
// on every node.

import {
  equalJson,
  objectAt,
  objectsAt,
  parsedObject,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type Cidr, cidrsOverlap, parseCidr } from "../../apimachinery/meta/ip.ts";
import { InvalidSelectorError } from "../../apimachinery/meta/label-requirement.ts";
import { readLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import {
  byName,
  CLUSTER_USER_DEFINED_NETWORKS,
  type Hold,
  hasFinalizer,
  hold,
  isGoing,
  keyOfObject,
  keysIn,
  NODES,
  ovn,
  removeFinalizer,
  subjectOf,
} from "../../controller/api.ts";
import { applyConditions, conditionFor, isTrue, type Said } from "../../controller/conditions.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { Informer } from "../../controller/informer.ts";
import { isNewest } from "../../controller/settings.ts";

const VTEPS = ovn("vteps");
const VTEP_HOLD: Hold = { resource: VTEPS, finalizer: "k8s.ovn.org/vtep-protection" };
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
    const { vteps, cudns, client, recordEvent } = world;
    const object = vteps.get(name);
    if (!object) return;
    const users = keysIn(cudns).filter((key) => vtepOf(cudns.get(key)) === name);
    if (isGoing(object)) {
      if (users.length === 0) await removeFinalizer(client, VTEP_HOLD, object);
      return;
    }
    await hold(client, VTEP_HOLD, object);
    const problem = findVtepProblem(object, world, users);
    const condition = conditionFor("Accepted", problem, ALLOCATED);
    const told = await applyConditions(world, VTEPS, object, [condition]);
    if (told && problem) recordEvent({ subject: subjectOf(object), type: "Warning", ...problem });
  },
});

const ALLOCATED: Said = { reason: "Allocated", message: "VTEP allocation succeeded" };

/** The VTEP of a ClusterUserDefinedNetwork with EVPN transport. */
const vtepOf = (cudn: KubeObject | undefined): string | undefined =>
  textAt(objectAt(objectAt(specOf(cudn), "network"), "evpn"), "vtep") || undefined;

/** Why the VTEP is not accepted; `users` are the names of the ClusterUserDefinedNetworks that use it. */
function findVtepProblem(
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

/** Names of other VTEPs with overlapping CIDRs. */
function findOverlapping(vtep: KubeObject, others: Iterable<KubeObject>): string[] {
  const own = cidrsOf(vtep);
  return [...others]
    .filter(({ metadata }) => metadata.name !== vtep.metadata.name)
    .filter((other) => cidrsOf(other).some((cidr) => own.some((mine) => cidrsOverlap(mine, cidr))))
    .map(({ metadata }) => metadata.name ?? "")
    .sort();
}

/** EVPN supports IPv4 VTEPs only. */
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

// Condition Ready of an Uplink reports whether every selected node has a resolved UplinkState.

const UPLINKS = ovn("uplinks", "v1alpha1");
const UPLINK_HOLD: Hold = { resource: UPLINKS, finalizer: "k8s.ovn.org/uplink-protection" };
const UPLINK_STATES = ovn("uplinkstates", "v1alpha1");

export const uplink = defineController({
  name: "uplink",
  summary: "whether all nodes have their uplinks",
  fieldManager: "clustermanager-uplink-controller",
  isWanted: isNewest,
  workers: 1,
  watches: {
    nodes: {
      resource: NODES,
      facts: ({ metadata }) => metadata.labels,
      toKeys: (_, { uplinks }) => keysIn(uplinks),
    },
    cudns: {
      resource: CLUSTER_USER_DEFINED_NETWORKS,
      on: ["add", "delete"],
      toKeys: ({ object }) => uplinksOf(object),
    },
    states: { resource: UPLINK_STATES, toKeys: (_, { uplinks }) => keysIn(uplinks) },
    uplinks: { resource: UPLINKS, on: ["add", "update"] },
  },
  prepare: ({ uplinks }) => keysIn(uplinks),
  async reconcile(name, world) {
    const { uplinks, states, cudns, nodes, client } = world;
    const object = uplinks.get(name);
    if (!object) return;
    const isNamed = [...cudns.list()].some((cudn) => uplinksOf(cudn).includes(name));
    // If the object still exists, its watch event requeues it.
    if (!isNamed && hasFinalizer(object, UPLINK_HOLD.finalizer)) {
      return removeFinalizer(client, UPLINK_HOLD, object);
    }
    if (isGoing(object)) return;
    if (isNamed) await hold(client, UPLINK_HOLD, object);
    const problem = findUplinkProblem(object, nodes, states);
    const condition = conditionFor("Ready", problem, READY);
    await applyConditions(world, UPLINKS, object, [condition]);
  },
});

const READY: Said = { reason: "Ready", message: "all selected nodes are ready" };

/** The Uplinks in spec.uplinks of a ClusterUserDefinedNetwork. */
const uplinksOf = (cudn: KubeObject): string[] =>
  textsAt(specOf(cudn), "uplinks").filter((name) => name !== "");

/** Why the Uplink is not ready; undefined if it is. */
function findUplinkProblem(uplink: KubeObject, nodes: Informer, states: Informer): Said | undefined {
  const configs = objectsAt(specOf(uplink), "nodeConfigs");
  const selectors = configs.flatMap((config) => {
    const selector = readLabelSelector(config["nodeSelector"]);
    return selector instanceof InvalidSelectorError ? [] : [selector];
  });
  if (selectors.length < configs.length) {
    return { reason: "InvalidSpec", message: "Uplink is not ready because its spec is not accepted" };
  }
  const named = [...nodes.list()].map((node) => ({
    name: keyOfObject(node),
    times: selectors.filter((selector) => selector.matches(node.metadata.labels)).length,
  }));
  const namedMoreOften = named.filter(({ times }) => times > 1).map(({ name }) => name);
  if (namedMoreOften.length > 0) {
    const message = `multiple Uplink nodeConfigs select nodes: ${namedMoreOften.sort().join(",")}`;
    return { reason: "NodeSelectorOverlap", message };
  }
  const selected = named.filter(({ times }) => times === 1).map(({ name }) => name);
  if (selected.length === 0) {
    return { reason: "NoMatchingNodes", message: "no nodes match any Uplink nodeConfig" };
  }
  const problems = selected.sort().map((node) => findProblemOn(node, keyOfObject(uplink), states));
  return problems.find((problem) => problem !== undefined);
}

function findProblemOn(nodeName: string, uplinkName: string, states: Informer): Said | undefined {
  const name = `${uplinkName}.${nodeName}`;
  const state = states.get(name);
  if (!state) return { reason: "MissingUplinkState", message: `UplinkState ${name} is missing` };
  const spec = specOf(state);
  for (const [key, expected] of Object.entries({ uplinkName, nodeName })) {
    if (spec[key] === expected) continue;
    const message = `UplinkState ${name} reports ${key} ${JSON.stringify(spec[key] ?? "")}`;
    return { reason: "UplinkStateIdentityError", message };
  }
  if (isTrue(state, "Resolved")) return undefined;
  return { reason: "UplinkStateNotResolved", message: `UplinkState ${name} is not resolved` };
}
