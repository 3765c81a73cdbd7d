// The objects of a world, parsed for the rules.
import { type Cidr, type IpAddress, parseCidr, parseIp } from "../../../src/apimachinery/meta/ip.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import type { World } from "./world.ts";

export interface SeenNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ready: boolean;
  readonly answers: boolean;
  /** Its own address can be parsed; on a cloud also the cloud's annotation. */
  readonly known: boolean;
  /** Labelled, ready and reachable. */
  readonly usable: boolean;
  readonly primary: readonly Cidr[];
  /** The addresses of the host; undefined when they cannot be parsed. */
  readonly hosts: readonly Cidr[] | undefined;
  readonly secondary: readonly Cidr[];
  /** Networks and limit in the cloud's annotation. */
  readonly cloud: { readonly networks: readonly Cidr[]; readonly limit: number };
}

export async function readNodes(world: World): Promise<SeenNode[]> {
  return (await world.list("nodes")).map((node) => {
    const { labels = {}, annotations = {}, name = "" } = node.metadata;
    const { ipv4 } = parse<{ ipv4?: string }>(annotations["k8s.ovn.org/node-primary-ifaddr"]) ?? {};
    // The older profile does not read it, and knows primary addresses only.
    const isOlder = world.profile === "openshift-4.13";
    const written = isOlder ? [ipv4 ?? ""] : parse<string[]>(annotations["k8s.ovn.org/host-cidrs"]);
    const config = cloudConfigOf(node);
    const ready = JSON.stringify(node["status"] ?? {}).includes('"True"');
    const answers = annotations["egret.dev/reachable"] !== "false";
    return {
      name,
      labels,
      ready,
      answers,
      known: cidrs([ipv4 ?? ""]).length > 0 && (!world.cloud || config !== undefined),
      usable: "k8s.ovn.org/egress-assignable" in labels && ready && answers,
      primary: cidrs([ipv4 ?? ""]),
      hosts: written && cidrs(written),
      secondary: cidrs((written ?? []).filter((text) => text !== ipv4)),
      cloud: { networks: cidrs(Object.values(config?.ifaddr ?? {})), limit: limitIn(config) },
    };
  });
}

interface CloudConfig {
  readonly ifaddr: Readonly<Record<string, string>>;
  readonly capacity: Readonly<Record<string, number>>;
}

const cloudConfigOf = ({ metadata: { annotations = {} } }: KubeObject): CloudConfig | undefined =>
  parse<CloudConfig[]>(annotations["cloud.network.openshift.io/egress-ipconfig"])?.[0];

/** Of several limits the last one applies to all. */
const limitIn = (config: CloudConfig | undefined): number =>
  Object.values(config?.capacity ?? {}).at(-1) ?? Number.POSITIVE_INFINITY;

/**
 * The greatest capacity that a node of that name ever had. If a node was deleted and returns with less capacity, the cloud
 * refuses the earlier requests: it identifies the node by name, and its grants decide.
 */
export const mostRoomOf = ({ nodesMade }: World, name: string): number =>
  Math.max(...nodesMade.flatMap((node) => (node.metadata.name === name ? limitIn(cloudConfigOf(node)) : [])));

/** False while some node's annotations cannot be parsed: the controller keeps the earlier ones, and stops assignments. */
export const allReadable = (nodes: readonly SeenNode[]): boolean =>
  nodes.every(({ hosts, primary }) => hosts !== undefined && primary.length > 0);

export interface Item {
  readonly egressIP: string;
  readonly node: string;
}

export interface SeenEgressIp {
  readonly name: string;
  readonly wanted: readonly IpAddress[];
  readonly items: readonly Item[];
  readonly mark: string | undefined;
}

/** The EgressIPs whose spec can be parsed; the others are left unchanged. */
export async function readEgressIps(world: World): Promise<SeenEgressIp[]> {
  return (await world.list("egressips")).flatMap((object): SeenEgressIp[] => {
    const { spec, status, metadata } = object as KubeObject & {
      spec: { egressIPs: string[] };
      status?: { items: Item[] };
    };
    const wanted = new Map(spec.egressIPs.map((text) => [parseIp(text)?.text, parseIp(text)]));
    if (wanted.has(undefined)) return [];
    return [
      {
        name: metadata.name ?? "",
        wanted: [...wanted.values()].filter((ip) => ip !== undefined),
        items: status?.items ?? [],
        mark: metadata.annotations?.["k8s.ovn.org/egressip-mark"],
      },
    ];
  });
}

const cidrs = (texts: readonly string[]): Cidr[] => texts.flatMap((text) => parseCidr(text) ?? []);

function parse<T>(text: string | undefined): T | undefined {
  try {
    return JSON.parse(text ?? "") as T; // written by the steps
  } catch {
    return undefined;
  }
}
