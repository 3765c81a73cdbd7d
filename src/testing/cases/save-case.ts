// Creates a case from a state: its objects as state, and the assignments of its egress addresses as expectations.

import { objectAt } from "../../apimachinery/json/json.ts";
import { parseLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { yamlOf } from "../../apiserver/endpoints/response/to-yaml.ts";
import { Cluster } from "../../ovn/cluster/cluster.ts";
import { explainEgressService } from "../../ovn/explain/egress-service.ts";
import { explainEgressIp } from "../../ovn/explain/explain-egress-ip.ts";
import { leanForPlan } from "../../ovn/lean.ts";
import { neededKindOf, neededResourceOf } from "../../ovn/needed-kinds.ts";
import { type ClusterFacts, snapshotOf } from "../../ovn/snapshot.ts";
import type { CaseServer, Fact } from "./format.ts";

export interface SaveOptions {
  readonly name: string;
  /** Facts about the cluster's setup. */
  readonly facts: ClusterFacts;
  readonly server: CaseServer;
  /** Restricts namespaced objects to these namespaces, and Namespaces to these; empty: all. */
  readonly namespaces: readonly string[];
  /** Restricts namespaced objects by label selector. */
  readonly selector: string;
}

/** Returns the text of a case file. */
export function caseTextOf(given: readonly KubeObject[], options: SaveOptions): string {
  const { name, facts, server } = options;
  const objects = objectsOf(given, options);
  const cluster = new Cluster(snapshotOf(objects, neededResourceOf), facts);
  const saved = { name, server, state: { objects: objects.map(asWritten) }, expect: placements(cluster) };
  return yamlOf(saved);
}

/**
 * Omits objects whose controlling owner is saved, because controllers recreate them, and objects with a
 * deletionTimestamp.
 */
function objectsOf(given: readonly KubeObject[], { namespaces, selector }: SaveOptions): KubeObject[] {
  const labels = selector === "" ? undefined : parseLabelSelector(selector);
  const isChosen = (object: KubeObject): boolean => {
    const { namespace = "", name = "", labels: own = {} } = object.metadata;
    const kind = neededKindOf(object);
    if (kind === undefined || kind.only !== undefined) return false;
    const place = object.kind === "Namespace" ? name : namespace;
    if (place !== "" && namespaces.length > 0 && !namespaces.includes(place)) return false;
    return !kind.namespaced || (labels?.matches(own) ?? true);
  };
  const chosen = given.filter((object) => isChosen(object) && !isServers(object));
  const uids = new Set(chosen.map(({ metadata }) => metadata.uid));
  return chosen.filter(({ metadata }) => {
    const owners = metadata.ownerReferences ?? [];
    const isMade = owners.some(({ uid, controller }) => controller === true && uids.has(uid));
    return !isMade && metadata.deletionTimestamp === undefined;
  });
}

const OF_EVERY_SERVER = new Set(["default", "kube-system", "kube-public", "kube-node-lease"]);

/** Objects of the bootstrap state. */
function isServers({ kind, metadata }: KubeObject): boolean {
  const { name = "", namespace, labels = {} } = metadata;
  if (kind === "Namespace") return OF_EVERY_SERVER.has(name) && Object.keys(labels).length <= 1;
  return namespace === "default" && name === "kubernetes" && (kind === "Service" || kind === "EndpointSlice");
}

/** Server-set metadata, which is invalid in another server, and references to owners that are not saved. */
const SERVERS_META = [
  ...["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"],
  ...["ownerReferences", "generateName"],
];
const trimmed = leanForPlan(() => false);

function asWritten(object: KubeObject): KubeObject {
  const { metadata, ...members } = trimmed(object);
  const kept = Object.entries(metadata).filter(([key]) => !SERVERS_META.includes(key));
  const { apiVersion, kind, ...rest } = members;
  const written = { apiVersion, kind, metadata: Object.fromEntries(kept), ...rest } as KubeObject; // a subset
  if (kind === "Namespace") return omitting(written, ["spec", "status"]);
  const status = objectAt(written, "status");
  return kind === "Node" && status ? { ...written, status: omitting(status, IDLE_IN_NODES) } : written;
}

/** Facts of a kubelet about its machine. */
const IDLE_IN_NODES = ["nodeInfo", "daemonEndpoints", "config", "runtimeHandlers", "features"];

const omitting = <T extends object>(object: T, keys: readonly string[]): T =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key))) as T; // omitted members are optional

/** Expectations of the current assignments of egress addresses and EgressServices. */
function placements(cluster: Cluster): Fact[] {
  const { snapshot } = cluster;
  const egressIps = [...snapshot.list("egressips.k8s.ovn.org")].flatMap(({ metadata }): Fact[] => {
    const explanation = explainEgressIp(cluster, metadata.name ?? "");
    if (!explanation) return [];
    const pairs = explanation.addresses.map(({ address, node = null }) => [address, node] as const);
    return [{ explain: `egressip/${metadata.name}`, addresses: Object.fromEntries(pairs) }];
  });
  const services = [...snapshot.list("egressservices.k8s.ovn.org")].map((object): Fact => {
    const { namespace, name } = object.metadata;
    const { summary } = explainEgressService(cluster, object);
    return { explain: `egressservice/${namespace}/${name}`, says: summary.split(":")[0] ?? "" };
  });
  return [...egressIps, ...services];
}
