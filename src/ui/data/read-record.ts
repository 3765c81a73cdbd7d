// Converts API objects into the records that the web UI keeps.

import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parsedJson,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { parseIp } from "../../apimachinery/meta/ip.ts";
import { isReady, type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import type { Capacity, Kind, Labels, ObjectRecord, Records } from "./records.ts";

const ASSIGNABLE_LABEL = "k8s.ovn.org/egress-assignable";
const ZONE_LABEL = "topology.kubernetes.io/zone";
const ZONE_ANNOTATION = "k8s.ovn.org/zone-name";
const CLOUD_ANNOTATION = "cloud.network.openshift.io/egress-ipconfig";
const ENDED_PHASES = new Set(["Succeeded", "Failed"]);

type Own<K extends Kind> = Omit<Records[K], keyof ObjectRecord>;

/** Per kind: reads the fields beyond those of ObjectRecord. */
const READERS: { readonly [K in Kind]: (object: KubeObject) => Own<K> } = {
  namespaces: ({ metadata }) => ({
    labels: metadata.labels ?? {},
    isEnding: metadata.deletionTimestamp !== undefined,
  }),
  nodes: (node) => {
    const { labels = {}, annotations = {}, deletionTimestamp } = node.metadata;
    return {
      labels,
      zone: labels[ZONE_LABEL] ?? annotations[ZONE_ANNOTATION] ?? "",
      isReady: isReady(node),
      isAssignable: Object.hasOwn(labels, ASSIGNABLE_LABEL),
      isEnding: deletionTimestamp !== undefined,
      capacity: capacityIn(annotations[CLOUD_ANNOTATION]),
    };
  },
  pods: (pod) => {
    const [spec, status] = [specOf(pod), statusOf(pod)];
    const listed = objectsAt(status, "podIPs").map((entry) => textAt(entry, "ip"));
    return {
      labels: pod.metadata.labels ?? {},
      node: textAt(spec, "nodeName"),
      hasEnded: ENDED_PHASES.has(textAt(status, "phase")),
      isOnHost: spec["hostNetwork"] === true,
      addresses: filled(listed.length > 0 ? listed : [textAt(status, "podIP")]).map(canonical),
    };
  },
  services: (service) => {
    const ingress = objectsAt(objectAt(statusOf(service), "loadBalancer"), "ingress");
    return {
      selector: (objectAt(specOf(service), "selector") ?? {}) as Labels,
      loadBalancerAddresses: filled(ingress.map((entry) => textAt(entry, "ip"))).map(canonical),
    };
  },
  egressips: (egressIp) => {
    const { namespaceSelector, podSelector } = specOf(egressIp);
    return {
      addresses: textsAt(specOf(egressIp), "egressIPs").map(canonical),
      assigned: objectsAt(statusOf(egressIp), "items").map((item) => ({
        address: canonical(textAt(item, "egressIP")),
        node: textAt(item, "node"),
      })),
      namespaceSelector,
      podSelector,
    };
  },
  egressservices: (egressService) => ({
    host: textAt(statusOf(egressService), "host"),
    sourceIpBy: textAt(specOf(egressService), "sourceIPBy"),
    network: textAt(specOf(egressService), "network"),
  }),
  cloudprivateipconfigs: (request) => {
    const status = statusOf(request);
    const { name = "" } = request.metadata;
    return {
      // Names of CloudPrivateIPConfigs write IPv6 addresses with dots for colons.
      address: (parseIp(name) ?? parseIp(name.replaceAll(".", ":")))?.text ?? name,
      askedNode: textAt(specOf(request), "node"),
      grantedNode: textAt(status, "node"),
      problem: textAt(
        objectsAt(status, "conditions").find((condition) => condition["status"] !== "True"),
        "message",
      ),
    };
  },
};

/** Undefined for an object without a uid. */
export function readRecord<K extends Kind>(kind: K, object: JsonObject): Records[K] | undefined {
  const metadata = objectAt(object, "metadata");
  const uid = textAt(metadata, "uid");
  if (uid === "") return undefined;
  const common: ObjectRecord = {
    uid,
    revision: Number(textAt(metadata, "resourceVersion")),
    namespace: textAt(metadata, "namespace"),
    name: textAt(metadata, "name"),
  };
  return { ...common, ...READERS[kind](object as KubeObject) } as Records[K];
}

/**
 * Egress address capacity of a node, of the first entry of its cloud annotation. The cloud controller decodes all three
 * limits into one variable: the last number applies to all, except to limits that are null.
 */
export function capacityIn(annotation: string | undefined): Capacity | undefined {
  const list = parsedJson(annotation);
  const entry = Array.isArray(list) ? membersOf(list[0]) : undefined;
  const given = membersOf(entry?.get("capacity") ?? {});
  if (!entry || !given) return undefined;
  const written = [...given].filter(
    ([key, value]) => LIMITS.some((limit) => limit === key) && value !== null,
  );
  const last = written.at(-1)?.[1];
  if (typeof last !== "number" || last >= NO_LIMIT) return {};
  return Object.fromEntries(
    LIMITS.filter((limit) => given.get(limit) !== null).map((limit) => [limit, last]),
  );
}

const LIMITS = ["ip", "ipv4", "ipv6"] as const;
const NO_LIMIT = 2 ** 31 - 1;

/** Member names are case-insensitive, as Go's JSON decoder reads them. */
const membersOf = (value: unknown): Map<string, unknown> | undefined =>
  isObject(value)
    ? new Map(Object.entries(value).map(([key, member]) => [key.toLowerCase(), member]))
    : undefined;

const statusOf = (object: KubeObject): JsonObject | undefined => objectAt(object, "status");

const canonical = (text: string): string => parseIp(text)?.text ?? text;

const filled = (texts: readonly string[]): string[] => texts.filter((text) => text !== "");
