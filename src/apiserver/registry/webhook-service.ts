// Address of a webhook's Service: an endpoint of its EndpointSlices, as a kube-apiserver with --enable-aggregator-routing
// resolves it (apiserver/pkg/util/proxy). The server has no cluster network, so a cluster IP is unreachable. Of several
// endpoints the first one is used, not a random one.

import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { isLoopback, parseIp } from "../../apimachinery/meta/ip.ts";
import { type KeyValueReader, prefixRange } from "../../storage/store.ts";
import { decodeStored } from "./codec/object-codec.ts";
import type { ServiceAddress, WebhookService } from "./webhook.ts";

const SERVICE_LABEL = "kubernetes.io/service-name";
const ROUTED_TYPES = ["ClusterIP", "NodePort", "LoadBalancer"];

/** Throws an Error with the reason why the Service cannot be reached. */
export function resolveService(
  { namespace, name, port }: WebhookService,
  store: KeyValueReader,
): ServiceAddress {
  const spec = specOf(store, `/registry/services/specs/${namespace}/${name}`);
  if (spec === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const type = textAt(spec, "type") || "ClusterIP";
  if (!ROUTED_TYPES.includes(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`);
  const found = objectsAt(spec, "ports").find((item) => item["port"] === port);
  if (found === undefined)
    throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const [family = ""] = textsAt(spec, "ipFamilies");
  for (const slice of slicesOf(store, namespace, name, family)) {
    const address = addressIn(slice, textAt(found, "name"));
    if (address === undefined) continue;
    refuseSimulated(store, namespace, address);
    return { host: address.host, port: address.port };
  }
  throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
}

function specOf(store: KeyValueReader, key: string): JsonObject | undefined {
  const kv = store.get(key);
  return kv && (objectAt(decodeStored(kv), "spec") ?? {});
}

/** Slices of the Service's first IP family come first. */
function slicesOf(
  store: KeyValueReader,
  namespace: string,
  name: string,
  family: string,
): readonly JsonObject[] {
  const { items } = store.list(prefixRange(`/registry/endpointslices/${namespace}/`));
  const slices = items.map(decodeStored).filter(({ metadata }) => metadata.labels?.[SERVICE_LABEL] === name);
  const rank = (slice: JsonObject): number => (slice["addressType"] === family ? 0 : 1);
  return slices.toSorted((a, b) => rank(a) - rank(b));
}

interface EndpointAddress extends ServiceAddress {
  readonly target: JsonObject | undefined;
}

/** The first ready endpoint with a port of this name. */
function addressIn(slice: JsonObject, portName: string): EndpointAddress | undefined {
  const ports = objectsAt(slice, "ports").filter((item) => textAt(item, "name") === portName);
  const [port] = ports.map((item) => numberAt(item, "port")).filter((number) => number !== undefined);
  const ready = objectsAt(slice, "endpoints").find(
    (endpoint) => objectAt(endpoint, "conditions")?.["ready"] !== false,
  );
  const [host] = textsAt(ready ?? {}, "addresses");
  return port === undefined || host === undefined
    ? undefined
    : { host, port, target: objectAt(ready, "targetRef") };
}

/** The pods of a simulated cluster run no programs. */
function refuseSimulated(
  store: KeyValueReader,
  namespace: string,
  { host, port, target }: EndpointAddress,
): void {
  const ip = parseIp(host);
  if (target?.["kind"] !== "Pod" || (ip !== undefined && isLoopback(ip))) return;
  const name = textAt(target, "name");
  if (store.get(`/registry/pods/${namespace}/${name}`) === undefined) return;
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const what = `pod ${JSON.stringify(`${namespace}/${name}`)} is a simulated pod: nothing listens there`;
  throw new Error(`dial tcp ${address}: ${what}`);
}
