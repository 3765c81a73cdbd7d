// What a Service asks of its endpoints, and what it wants to know of a pod.

import { type IpFamily, parseIp } from "../../meta/ip.ts";
import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";

/** The label that tells who reads endpoints that their Service has no address. */
export const HEADLESS = "service.kubernetes.io/headless";

type Labels = Readonly<Record<string, string>>;

export type Service = Readonly<ReturnType<typeof readService>>;
export type ServicePort = Readonly<Service["ports"][number]>;

export const readService = oncePer((service: KubeObject) => {
  const { namespace = "", name = "", uid = "", labels = {}, ...metadata } = service.metadata;
  const spec = objectAt(service, "spec");
  const clusterIp = textAt(spec, "clusterIP");
  return {
    key: `${namespace}/${name}`,
    namespace,
    name,
    uid,
    labels,
    createdAt: metadata.creationTimestamp ?? "",
    deleting: metadata.deletionTimestamp !== undefined,
    /** Undefined: its endpoints are somebody else's business. */
    selector: textAt(spec, "type") === "ExternalName" ? undefined : selectorOf(service),
    /** It has no address of its own, or has not got one yet. */
    withoutAddress: clusterIp === "" || clusterIp === "None",
    headless: clusterIp === "None",
    /** The first is the primary one. Empty when the Service does not say. */
    families: familiesOf(textsAt(spec, "ipFamilies"), clusterIp),
    ports: objectsAt(spec, "ports").map((port) => ({
      name: textAt(port, "name"),
      protocol: textAt(port, "protocol") || "TCP",
      /** The number of a port, or the name that a container gives one. */
      target: numberAt(port, "targetPort") ?? (textAt(port, "targetPort") || (numberAt(port, "port") ?? 0)),
      appProtocol: textAt(port, "appProtocol") || undefined,
    })),
    publishNotReady: spec?.["publishNotReadyAddresses"] === true,
  };
});

/** Undefined if the Service selects no pods: then it gets its endpoints from its owner. */
export function selectorOf(service: KubeObject): Labels | undefined {
  const selector = objectAt(service, "spec")?.["selector"];
  const pairs = Object.entries(isObject(selector) ? selector : {}).flatMap(([key, text]) =>
    typeof text === "string" ? [[key, text] as const] : [],
  );
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

function familiesOf(families: readonly string[], clusterIp: string): IpFamily[] {
  if (families.length > 0) return families.map((family) => (family === "IPv6" ? 6 : 4));
  const family = parseIp(clusterIp)?.family;
  return family ? [family] : [];
}

export type Pod = Readonly<ReturnType<typeof readPod>>;

export const readPod = oncePer((pod: KubeObject) => {
  const { namespace = "", name = "", uid = "", labels = {}, deletionTimestamp } = pod.metadata;
  const [spec, status] = [objectAt(pod, "spec"), objectAt(pod, "status")];
  const ready = objectsAt(status, "conditions").find(({ type }) => type === "Ready");
  const phase = textAt(status, "phase");
  return {
    namespace,
    name,
    uid,
    labels,
    nodeName: textAt(spec, "nodeName"),
    hostname: textAt(spec, "hostname"),
    subdomain: textAt(spec, "subdomain"),
    addresses: addressesOf(status),
    ready: ready?.["status"] === "True",
    /** When its readiness last changed; "" when that was never said. */
    readySince: textAt(ready, "lastTransitionTime"),
    terminating: deletionTimestamp !== undefined,
    /** It has run to its end and will not run again. */
    ended: phase === "Failed" || phase === "Succeeded",
    ports: containersOf(spec).flatMap((container) => objectsAt(container, "ports").map(toPort)),
  };
});

/** Names of ports are looked for in the containers, then in the init containers that go on running beside them. */
function containersOf(spec: JsonObject | undefined): JsonObject[] {
  const beside = objectsAt(spec, "initContainers").filter((item) => item["restartPolicy"] === "Always");
  return [...objectsAt(spec, "containers"), ...beside];
}

const toPort = (port: JsonObject) => ({
  name: textAt(port, "name"),
  protocol: textAt(port, "protocol") || "TCP",
  number: numberAt(port, "containerPort") ?? 0,
});

function addressesOf(status: JsonObject | undefined): string[] {
  const listed = objectsAt(status, "podIPs").map((item) => textAt(item, "ip"));
  return (listed.length > 0 ? listed : [textAt(status, "podIP")]).filter((text) => text !== "");
}

/** Pods that terminate still serve those who are connected; Endpoints, unlike EndpointSlices, cannot say so. */
export const canBeEndpoint = (pod: Pod, withTerminating: boolean): boolean =>
  !pod.ended && pod.addresses.length > 0 && (withTerminating || !pod.terminating);

export const addressesIn = ({ addresses }: Pod, family: IpFamily): string[] =>
  addresses.filter((text) => parseIp(text)?.family === family);

/** A pod has a name of its own in the domain of the Service that its subdomain names. */
export const hostnameFor = ({ hostname, subdomain, namespace }: Pod, service: Service): string =>
  subdomain === service.name && namespace === service.namespace ? hostname : "";

/** The number of the pod's port that the Service means; undefined when the pod has none of that name. */
export function findPort({ ports }: Pod, { target, protocol }: ServicePort): number | undefined {
  if (typeof target === "number") return target;
  return ports.find((port) => port.name === target && port.protocol === protocol)?.number;
}
