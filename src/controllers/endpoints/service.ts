// What a Service asks of its endpoints.
import { type IpFamily, parseIp } from "../../meta/ip.ts";
import { isObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

/** The label that tells who reads endpoints that their Service has no address. */
export const HEADLESS = "service.kubernetes.io/headless";

export interface ServicePort {
  readonly name: string;
  readonly protocol: string;
  /** The number of a port, or the name that a container gives one. */
  readonly target: number | string;
  readonly appProtocol: string | undefined;
}

export interface Service {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: string;
  readonly deleting: boolean;
  /** Undefined: its endpoints are somebody else's business. */
  readonly selector: Readonly<Record<string, string>> | undefined;
  /** It has no address of its own: its clusterIP is "None", or it has not got one yet. */
  readonly withoutAddress: boolean;
  /** Its clusterIP is "None". */
  readonly headless: boolean;
  /** The first is the primary one. Empty when the Service does not say. */
  readonly families: readonly IpFamily[];
  readonly ports: readonly ServicePort[];
  readonly publishNotReady: boolean;
}

export function readService({ metadata, spec }: KubeObject): Service {
  const { namespace = "", name = "", uid = "", labels = {}, creationTimestamp, deletionTimestamp } = metadata;
  const fields = isObject(spec) ? spec : {};
  const clusterIp = textAt(fields, "clusterIP");
  return {
    key: `${namespace}/${name}`,
    namespace,
    name,
    uid,
    labels,
    createdAt: creationTimestamp ?? "",
    deleting: deletionTimestamp !== undefined,
    selector: textAt(fields, "type") === "ExternalName" ? undefined : selectorOf(fields["selector"]),
    withoutAddress: clusterIp === "" || clusterIp === "None",
    headless: clusterIp === "None",
    families: familiesOf(textsAt(fields, "ipFamilies"), clusterIp),
    ports: objectsAt(fields, "ports").map((port) => ({
      name: textAt(port, "name"),
      protocol: textAt(port, "protocol") || "TCP",
      target: numberAt(port, "targetPort") ?? (textAt(port, "targetPort") || (numberAt(port, "port") ?? 0)),
      appProtocol: textAt(port, "appProtocol") || undefined,
    })),
    publishNotReady: fields["publishNotReadyAddresses"] === true,
  };
}

/** True if the object's spec selects pods; a Service without a selector gets its endpoints from its owner. */
export const hasSelector = (service: KubeObject): boolean =>
  selectorOf(objectAt(service, "spec")?.["selector"]) !== undefined;

function selectorOf(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  const pairs = Object.entries(value).flatMap(([key, text]) =>
    typeof text === "string" ? [[key, text] as const] : [],
  );
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

function familiesOf(families: readonly string[], clusterIp: string): IpFamily[] {
  if (families.length > 0) return families.map((family) => (family === "IPv6" ? 6 : 4));
  const family = parseIp(clusterIp)?.family;
  return family ? [family] : [];
}
