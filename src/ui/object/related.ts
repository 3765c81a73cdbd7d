// Relations of an object in the watched model: owners, references to it, and references from it.
import {
  isObject,
  type JsonObject,
  lookupTable,
  objectAt,
  objectsAt,
  textAt,
} from "../../apimachinery/json/json.ts";
import type { Model } from "../data/model.ts";
import type { EgressIpRecord, Labels, ObjectRecord, PodRecord } from "../data/records.ts";
import type { KindInfo, ObjectRef } from "../frame/kinds.ts";

/** Objects with the same relation to another object. */
export interface Relation {
  readonly title: string;
  readonly refs: readonly ObjectRef[];
  /** Number of further objects beyond SHOWN_MAX. */
  readonly more: number;
}

/** The model, the served kinds, and what EgressIPs select. */
export interface Around {
  readonly model: Model;
  readonly kinds: readonly KindInfo[];
  namespacesOf(egressIp: EgressIpRecord): readonly string[];
  egressIpsOf(pod: PodRecord): readonly string[];
}

/** Further objects are only counted. */
const SHOWN_MAX = 50;

const OVN = { group: "k8s.ovn.org", version: "v1" };
const CORE = { group: "", version: "v1" };
const RESOURCES = {
  namespaces: { ...CORE, resource: "namespaces" },
  nodes: { ...CORE, resource: "nodes" },
  pods: { ...CORE, resource: "pods" },
  services: { ...CORE, resource: "services" },
  egressips: { ...OVN, resource: "egressips" },
  egressservices: { ...OVN, resource: "egressservices" },
  cloudprivateipconfigs: {
    group: "cloud.network.openshift.io",
    version: "v1",
    resource: "cloudprivateipconfigs",
  },
};
type Known = keyof typeof RESOURCES;

type Named = Pick<ObjectRecord, "namespace" | "name">;

const refsOf = (kind: Known, records: Iterable<Named>): ObjectRef[] =>
  [...records]
    .map(({ namespace, name }) => ({ ...RESOURCES[kind], namespace, name }))
    .sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1));

const named = (names: Iterable<string>): Named[] =>
  [...new Set(names)].filter((name) => name !== "").map((name) => ({ namespace: "", name }));

type Found = readonly (readonly [title: string, refs: readonly ObjectRef[]])[];

/** Empty relations are left out. `object` is undefined if only its name is known. */
export function relatedTo(of: ObjectRef, object: JsonObject | undefined, around: Around): Relation[] {
  const find = FINDERS[of.resource];
  const found = find && find.group === of.group ? find.find(of, object, around) : [];
  return [["Owned by", ownersOf(of, object, around)] as const, ...found]
    .filter(([, refs]) => refs.length > 0)
    .map(([title, refs]) => ({
      title,
      refs: refs.slice(0, SHOWN_MAX),
      more: Math.max(0, refs.length - SHOWN_MAX),
    }));
}

/** An owner is in the namespace of the owned object, or cluster-scoped. */
function ownersOf({ namespace }: ObjectRef, object: JsonObject | undefined, { kinds }: Around): ObjectRef[] {
  return objectsAt(objectAt(object, "metadata"), "ownerReferences").flatMap((owner) => {
    const [version = "", group = ""] = textAt(owner, "apiVersion").split("/").reverse();
    const kind = kinds.find((one) => one.group === group && one.kind === textAt(owner, "kind"));
    if (!kind) return [];
    const { resource, isNamespaced } = kind;
    return [
      { group, version, resource, namespace: isNamespaced ? namespace : "", name: textAt(owner, "name") },
    ];
  });
}

type Find = (of: ObjectRef, object: JsonObject | undefined, around: Around) => Found;

const FINDERS = lookupTable<{ readonly group: string; readonly find: Find }>({
  egressips: { group: OVN.group, find: ofEgressIp },
  egressservices: { group: OVN.group, find: ofEgressService },
  cloudprivateipconfigs: { group: RESOURCES.cloudprivateipconfigs.group, find: ofCloudRequest },
  namespaces: { group: "", find: ofNamespace },
  pods: { group: "", find: ofPod },
  nodes: { group: "", find: ofNode },
  services: { group: "", find: ofService },
  endpointslices: { group: "discovery.k8s.io", find: ofEndpointSlice },
});

function ofEgressIp({ name }: ObjectRef, _object: unknown, { model, ...around }: Around): Found {
  const record = model.egressips.named(name);
  if (!record) return [];
  const namespaces = around.namespacesOf(record);
  const pods = namespaces.flatMap((namespace) =>
    [...model.podsByNamespace.at(namespace)].filter((pod) => around.egressIpsOf(pod).includes(name)),
  );
  const requests = [...model.cloudprivateipconfigs.values()].filter(({ address }) =>
    record.addresses.includes(address),
  );
  return [
    ["Meant for namespaces", refsOf("namespaces", named(namespaces))],
    ["Used by pods", refsOf("pods", pods)],
    ["Addresses on nodes", refsOf("nodes", named(record.assigned.map(({ node }) => node)))],
    ["Asked of the cloud", refsOf("cloudprivateipconfigs", requests)],
  ];
}

function ofEgressService({ namespace, name }: ObjectRef, _object: unknown, { model }: Around): Found {
  const host = model.egressservices.named(name, namespace)?.host ?? "";
  const service = model.services.named(name, namespace);
  return [
    ["Service", refsOf("services", service ? [service] : [])],
    [
      "Host",
      refsOf(
        "nodes",
        named([host]).filter(({ name: node }) => model.nodes.named(node)),
      ),
    ],
    ["Pods behind it", service ? refsOf("pods", selected(model, namespace, service.selector)) : []],
  ];
}

function ofCloudRequest({ name }: ObjectRef, _object: unknown, { model }: Around): Found {
  const record = model.cloudprivateipconfigs.named(name);
  if (!record) return [];
  return [
    ["Asked for by", refsOf("egressips", model.egressIpsByAddress.at(record.address))],
    ["Nodes", refsOf("nodes", named([record.askedNode, record.grantedNode]))],
  ];
}

function ofNamespace({ name }: ObjectRef, _object: unknown, { model, namespacesOf }: Around): Found {
  const egressIps = [...model.egressips.values()].filter((record) => namespacesOf(record).includes(name));
  const within = ({ namespace }: Named): boolean => namespace === name;
  return [
    ["EgressIPs for it", refsOf("egressips", egressIps)],
    ["EgressServices in it", refsOf("egressservices", [...model.egressservices.values()].filter(within))],
    ["Services in it", refsOf("services", [...model.services.values()].filter(within))],
    ["Pods in it", refsOf("pods", model.podsByNamespace.at(name))],
  ];
}

function ofPod({ namespace, name }: ObjectRef, _object: unknown, { model, egressIpsOf }: Around): Found {
  const record = model.pods.named(name, namespace);
  if (!record) return [];
  const services = [...model.services.values()].filter(
    (service) => service.namespace === namespace && fits(service.selector, record.labels),
  );
  const egressServices = services.filter((service) => model.egressservices.named(service.name, namespace));
  return [
    ["Namespace", refsOf("namespaces", named([namespace]))],
    ["Runs on", refsOf("nodes", named([record.node]))],
    ["EgressIPs for it", refsOf("egressips", named(egressIpsOf(record)))],
    ["Services that choose it", refsOf("services", services)],
    ["EgressServices of these", refsOf("egressservices", egressServices)],
  ];
}

function ofNode({ name }: ObjectRef, _object: unknown, { model }: Around): Found {
  const requests = [...model.cloudprivateipconfigs.values()].filter(
    ({ askedNode, grantedNode }) => askedNode === name || grantedNode === name,
  );
  return [
    ["EgressIPs with an address on it", refsOf("egressips", model.egressIpsByNode.at(name))],
    ["EgressServices that it is the host of", refsOf("egressservices", model.egressServicesByHost.at(name))],
    ["Asked of the cloud for it", refsOf("cloudprivateipconfigs", requests)],
    ["Pods on it", refsOf("pods", model.podsByNode.at(name))],
  ];
}

function ofService({ namespace, name }: ObjectRef, _object: unknown, { model }: Around): Found {
  const service = model.services.named(name, namespace);
  const egressService = model.egressservices.named(name, namespace);
  return [
    ["EgressService", refsOf("egressservices", egressService ? [egressService] : [])],
    ["Pods that it chooses", service ? refsOf("pods", selected(model, namespace, service.selector)) : []],
  ];
}

/** Label of an EndpointSlice with the name of its Service. */
export const SERVICE_NAME = "kubernetes.io/service-name";

function ofEndpointSlice({ namespace }: ObjectRef, object: JsonObject | undefined, { model }: Around): Found {
  const service = textAt(objectAt(objectAt(object, "metadata"), "labels"), SERVICE_NAME);
  const endpoints = objectsAt(object, "endpoints");
  const targets = endpoints.map((endpoint) => objectAt(endpoint, "targetRef")).filter(isObject);
  const pods = targets.filter((target) => textAt(target, "kind") === "Pod");
  const egressService = model.egressservices.named(service, namespace);
  return [
    ["Service", refsOf("services", service === "" ? [] : [{ namespace, name: service }])],
    ["EgressService", refsOf("egressservices", egressService ? [egressService] : [])],
    [
      "Pods",
      refsOf(
        "pods",
        pods.map((pod) => ({ namespace, name: textAt(pod, "name") })),
      ),
    ],
    ["Nodes", refsOf("nodes", named(endpoints.map((endpoint) => textAt(endpoint, "nodeName"))))],
  ];
}

function* selected(model: Model, namespace: string, selector: Labels): Generator<PodRecord> {
  for (const pod of model.podsByNamespace.at(namespace)) if (fits(selector, pod.labels)) yield pod;
}

/** A Service without a selector selects no pods. */
const fits = (selector: Labels, labels: Labels): boolean => {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
};
