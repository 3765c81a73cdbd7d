// What a Service wants to know of a pod.
import { type IpFamily, parseIp } from "../../meta/ip.ts";
import { isObject, type JsonObject, numberAt, objectsAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Service, ServicePort } from "./service.ts";

export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly nodeName: string;
  readonly hostname: string;
  readonly subdomain: string;
  readonly addresses: readonly string[];
  readonly ready: boolean;
  /** When its readiness last changed; "" when that was never said. */
  readonly readySince: string;
  readonly terminating: boolean;
  /** It has run to its end and will not run again. */
  readonly ended: boolean;
  readonly ports: readonly ContainerPort[];
}

interface ContainerPort {
  readonly name: string;
  readonly protocol: string;
  readonly number: number;
}

export function readPod({ metadata, spec, status }: KubeObject): Pod {
  const { namespace = "", name = "", uid = "", deletionTimestamp } = metadata;
  const wanted = isObject(spec) ? spec : {};
  const seen = isObject(status) ? status : {};
  const ready = objectsAt(seen, "conditions").find((condition) => condition["type"] === "Ready");
  const phase = textAt(seen, "phase");
  return {
    namespace,
    name,
    uid,
    nodeName: textAt(wanted, "nodeName"),
    hostname: textAt(wanted, "hostname"),
    subdomain: textAt(wanted, "subdomain"),
    addresses: addressesOf(seen),
    ready: ready?.["status"] === "True",
    readySince: textAt(ready, "lastTransitionTime"),
    terminating: deletionTimestamp !== undefined,
    ended: phase === "Failed" || phase === "Succeeded",
    ports: containersOf(wanted).flatMap((container) => objectsAt(container, "ports").map(toPort)),
  };
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

/** Names of ports are looked for in the containers, then in the init containers that go on running beside them. */
function containersOf(spec: JsonObject): JsonObject[] {
  const beside = objectsAt(spec, "initContainers").filter((item) => item["restartPolicy"] === "Always");
  return [...objectsAt(spec, "containers"), ...beside];
}

const toPort = (port: JsonObject): ContainerPort => ({
  name: textAt(port, "name"),
  protocol: textAt(port, "protocol") || "TCP",
  number: numberAt(port, "containerPort") ?? 0,
});

function addressesOf(status: JsonObject): string[] {
  const listed = objectsAt(status, "podIPs").map((item) => textAt(item, "ip"));
  return (listed.length > 0 ? listed : [textAt(status, "podIP")]).filter((text) => text !== "");
}
