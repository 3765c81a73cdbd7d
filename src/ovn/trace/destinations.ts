// Parses the destination of a trace request:
//
//   8.8.8.8:443   fd00::1   [fd00::1]:443   www.example.com:443   192.0.2.0/24   svc/NS/NAME:80   pod/NS/NAME   node/NAME
//
// into addresses. A Service, Pod, Node or name can have several. A name without known addresses means all addresses.

import { numberAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import {
  type Cidr,
  type IpAddress,
  type IpFamily,
  ipFromValue,
  parseCidr,
  parseIp,
} from "../../apimachinery/meta/ip.ts";
import { specOf } from "../../apimachinery/meta/object-meta.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { nodeAddress } from "../cluster/node-view.ts";
import { namedAddresses } from "./names.ts";
import type { Destination, Protocol } from "./packet-path.ts";
import { clusterAddresses, endpointsOf } from "./services.ts";

/** The request is invalid, or refers to an object that does not exist. */
export class TraceError extends Error {
  override readonly name = "TraceError";
  readonly reason: "invalid" | "not found";

  constructor(reason: "invalid" | "not found", message: string) {
    super(message);
    this.reason = reason;
  }
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\.?$/i;
const EVERYTHING = ["0.0.0.0/0", "::/0"].flatMap((text) => parseCidr(text) ?? []);

/** Throws TraceError. */
export function destinationsOf(cluster: Cluster, text: string, protocol: Protocol): Destination[] {
  const [what, port] = splitPort(text);
  const to = (address: IpAddress, more: Partial<Destination> = {}): Destination => ({
    address,
    port,
    protocol,
    name: undefined,
    within: undefined,
    ...more,
  });
  const toRange = (within: Cidr, name?: string) =>
    to(ipFromValue(within.family, within.first), { within, name });
  const parts = what.split("/");
  switch (parts[0]) {
    case "svc":
    case "service":
      return toService(cluster, parts, to);
    case "pod":
      return toPod(cluster, parts).map((address) => to(address));
    case "node":
      return toNode(cluster, parts).map((address) => to(address));
    default:
  }
  const ip = parseIp(what);
  if (ip) return [to(ip)];
  const cidr = parseCidr(what);
  if (cidr) return [toRange(cidr)];
  if (!HOST_NAME.test(what) || what.includes("/"))
    throw new TraceError("invalid", `${text} is no address, no name and no object to send to`);
  const known = namedAddresses(cluster, what) ?? [];
  if (known.length > 0) return known.map((address) => to(address, { name: what }));
  return EVERYTHING.map((all) => toRange(all, what));
}

/** Splits ADDRESS:PORT; IPv6 needs brackets for a port. */
function splitPort(text: string): [string, number | undefined] {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  if (!match) return [text.replace(/^\[(.*)\]$/, "$1"), undefined];
  const port = Number(match[3]);
  if (port < 1 || port > 65_535) throw new TraceError("invalid", `${text}: ${port} is no port`);
  return [match[1] ?? match[2] ?? "", port];
}

function toService(
  cluster: Cluster,
  parts: readonly string[],
  to: (ip: IpAddress, more?: Partial<Destination>) => Destination,
): Destination[] {
  const [, namespace = "", name = ""] = parts;
  const service = cluster.snapshot.get("services", namespace, name);
  if (!service) throw new TraceError("not found", `services "${name}" not found in namespace ${namespace}`);
  const ports = objectsAt(specOf(service), "ports");
  const addresses = clusterAddresses(service);
  const given = to(NOTHING);
  // A headless Service is resolved to its endpoints.
  if (addresses.length === 0) {
    const [first] = ports;
    const families: readonly IpFamily[] = [4, 6];
    return families
      .flatMap((family) => endpointsOf(cluster, service, first, family))
      .map(({ address, port }) => to(address, { port: given.port ?? port }));
  }
  const fitting = ports.filter((port) => given.port === undefined || numberAt(port, "port") === given.port);
  if (fitting.length === 0) return addresses.map((address) => to(address));
  return addresses.flatMap((address) =>
    fitting.map((port) =>
      to(address, {
        port: numberAt(port, "port"),
        protocol: protocolIn(textAt(port, "protocol"), given.protocol),
      }),
    ),
  );
}

const NOTHING: IpAddress = { family: 4, value: 0n, text: "0.0.0.0", mapped: false };

function protocolIn(text: string, otherwise: Protocol): Protocol {
  const lower = text.toLowerCase();
  return lower === "udp" || lower === "sctp" || lower === "tcp" ? lower : otherwise;
}

function toPod(cluster: Cluster, [, namespace = "", name = ""]: readonly string[]): readonly IpAddress[] {
  const pod = cluster.pod(namespace, name);
  const network = cluster.networks.ofNamespace(namespace) ?? cluster.networks.default;
  const addresses = pod && (pod.hostNetwork ? pod.statusAddresses : cluster.addressesOf(pod, network));
  if (!addresses) throw new TraceError("not found", `pods "${name}" not found in namespace ${namespace}`);
  if (addresses.length === 0) throw new TraceError("invalid", `pod ${namespace}/${name} has no address yet`);
  return addresses;
}

function toNode(cluster: Cluster, [, name = ""]: readonly string[]): readonly IpAddress[] {
  const node = cluster.nodes.get(name);
  if (!node) throw new TraceError("not found", `nodes "${name}" not found`);
  const addresses = ([4, 6] as const).flatMap(
    (family) => node.primary.find((one) => one.family === family)?.address ?? nodeAddress(node, family) ?? [],
  );
  if (addresses.length === 0) throw new TraceError("invalid", `node ${name} has no address`);
  return addresses;
}
