// `egret nodes add`: nodes that a server does not have yet, with names and addresses that nobody has.
import process from "node:process";
import { formatTime } from "../../meta/clock.ts";
import { type Cidr, cidrOf, ipFromValue, parseCidr, parseIp } from "../../meta/ip.ts";
import { parsedJson, textsOf } from "../../meta/json.ts";
import { greatest } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StartError, UsageError } from "../../server/errors.ts";
import { PLATFORMS, type Platform } from "../../verdict/snapshot.ts";
import type { Asked } from "../ask-server.ts";
import { createNode, listNodes, serverNow } from "./api.ts";
import { makeNode, type NodePlan } from "./make-node.ts";

const NETWORK = "192.168.126.0/24";
const NAME = "worker";
const COUNT_MAX = 5_000;
/** The addresses below are those of routers and the like. */
const FIRST_HOST = 10n;

/** Throws UsageError and StartError. */
export async function addNodes(asked: Asked, words: readonly string[]): Promise<void> {
  const [word = "1", ...more] = words;
  const count = Number(word);
  if (!/^\d{1,4}$/.test(word) || count < 1 || count > COUNT_MAX || more.length > 0)
    throw new UsageError(`say how many nodes, 1 to ${COUNT_MAX}: egret nodes add COUNT`);
  const plan = readPlan(asked, count);
  const present = await listNodes(asked);
  const now = formatTime(await serverNow(asked));
  const names = freeNames(asked.text("name") ?? NAME, count, present);
  const addresses = freeAddresses(plan.networks, count, present);
  for (const [index, name] of names.entries()) {
    const zone = plan.zones[index % Math.max(plan.zones.length, 1)];
    const own = { name, zone, addresses: addresses[index] ?? [], assignable: index < plan.assignable, now };
    await createNode(asked, makeNode({ ...plan.shared, ...own }));
    process.stdout.write(`node/${name} created\n`);
  }
}

interface Plan {
  readonly networks: readonly Cidr[];
  readonly zones: readonly string[];
  readonly assignable: number;
  readonly shared: Pick<NodePlan, "region" | "platform" | "instanceType" | "labels" | "capacity">;
}

function readPlan(asked: Asked, count: number): Plan {
  const assignable = asked.text("assignable") ?? "0";
  if (!/^\d{1,4}$/.test(assignable) && assignable !== "all")
    throw new UsageError(`--assignable ${assignable} is no number of nodes`);
  const platform = asked.text("platform") ?? "none";
  const capacity = ["cpu", "memory", "pods"].flatMap((name) => {
    const said = asked.text(name);
    return said === undefined ? [] : [[name, said]];
  });
  return {
    networks: readNetworks(asked.text("network") ?? NETWORK),
    zones: listed(asked.text("zone")),
    assignable: assignable === "all" ? count : Number(assignable),
    shared: {
      region: asked.text("region"),
      platform: PLATFORMS.find((item) => item === platform) ?? ("none" satisfies Platform),
      instanceType: asked.text("instance-type"),
      labels: Object.fromEntries(asked.texts("label").map(labelOf)),
      capacity: Object.fromEntries(capacity),
    },
  };
}

const listed = (text = ""): string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

function labelOf(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new UsageError(`--label ${text} is no KEY=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** At most one of each family, IPv4 first. */
function readNetworks(text: string): Cidr[] {
  const networks = listed(text).map((item) => {
    const network = parseCidr(item);
    if (!network) throw new UsageError(`--network ${item} is no network, such as ${NETWORK}`);
    return network;
  });
  const families = new Set(networks.map(({ family }) => family));
  if (networks.length === 0 || families.size < networks.length)
    throw new UsageError("--network names one network of each family at most");
  return networks.sort((a, b) => a.family - b.family);
}

/** "worker-1", and on from the highest number that is there. */
function freeNames(prefix: string, count: number, present: readonly KubeObject[]): string[] {
  const numbers = present.flatMap(({ metadata: { name = "" } }) => {
    const digits = name.startsWith(`${prefix}-`) ? name.slice(prefix.length + 1) : "";
    return /^\d{1,9}$/.test(digits) ? [Number(digits)] : [];
  });
  const first = greatest(numbers, 0) + 1;
  return Array.from({ length: count }, (_, index) => `${prefix}-${first + index}`);
}

/** One of each network for each node. Throws StartError where a network has not that many left. */
function freeAddresses(networks: readonly Cidr[], count: number, present: readonly KubeObject[]): Cidr[][] {
  const taken = new Set(present.flatMap(hostAddresses));
  const byNetwork = networks.map((network) => {
    const { family, first, last, prefix } = network;
    const found: Cidr[] = [];
    for (let value = first + FIRST_HOST + 1n; found.length < count && value < last; value++) {
      const address = ipFromValue(family, value);
      if (!taken.has(address.text)) found.push(cidrOf(address, prefix));
    }
    if (found.length < count)
      throw new StartError(`${network.text} has no ${count} addresses left: name a larger --network`);
    return found;
  });
  return Array.from({ length: count }, (_, index) => byNetwork.flatMap((found) => found[index] ?? []));
}

const hostAddresses = ({ metadata }: KubeObject): string[] =>
  textsOf(parsedJson(metadata.annotations?.["k8s.ovn.org/host-cidrs"])).flatMap(
    (text) => parseIp(text.replace(/\/.*$/, ""))?.text ?? [],
  );
