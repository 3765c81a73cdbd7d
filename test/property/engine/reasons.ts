// Checks whether a reason is true, by the objects and the allocations of the controller, without the engine's own code.

import { objectAt, objectsAt, textAt } from "../../../src/apimachinery/json/json.ts";
import { type IpAddress, parseIp } from "../../../src/apimachinery/meta/ip.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import type { Reason } from "../../../src/ovn/reason.ts";
import type { Item, SeenNode } from "./cluster-view.ts";
import { countOn, holderOf, inside, isHost, isOlder, networksOf, nodesFor } from "./egress-ip-rules.ts";
import type { World } from "./world.ts";

const OWNER = "k8s.ovn.org/egressip-owner-ref";

/** An address of an EgressIP, and the whole cluster. */
export interface Asked {
  readonly world: World;
  readonly nodes: readonly SeenNode[];
  /** The name of the EgressIP. */
  readonly name: string;
  readonly spec: readonly string[];
  readonly items: readonly Item[];
  readonly requests: readonly KubeObject[];
  /** undefined: the text is no address. */
  readonly ip: IpAddress | undefined;
}

type OfAddress = Asked & { readonly ip: IpAddress };
type Judge = (asked: OfAddress, text: string) => boolean;

/** Reports whether a reason against all nodes is true. */
export function isTrueOfAddress({ row, text }: Reason, asked: Asked): boolean {
  const { ip, spec } = asked;
  if (row === 4 || !ip) return row === 4 && spec.some((written) => !parseIp(written));
  return OF_ADDRESS[row]?.({ ...asked, ip }, text) ?? false;
}

const eligible = (nodes: readonly SeenNode[]): SeenNode[] =>
  nodes.filter(({ usable, known }) => usable && known);

/** True if the address is a host address or another object holds it. */
const isTaken = ({ world, nodes, name }: Asked, ip: IpAddress): boolean =>
  isHost(nodes, ip) || (holderOf(world, ip) ?? name) !== name;

/** Nodes that have a network for the address and hold another address of the object, or have no free capacity. */
const occupied = (asked: OfAddress): SeenNode[] =>
  nodesFor(asked.world, asked.nodes, asked.ip).filter((node) => holdsOther(asked, node));
const fullOnes = (asked: OfAddress): SeenNode[] =>
  nodesFor(asked.world, asked.nodes, asked.ip).filter((node) => !hasRoom(asked, node));
const freeOnes = (asked: OfAddress): SeenNode[] => asked.nodes.filter((node) => couldHave(asked, node));

const OF_ADDRESS: Readonly<Record<number, Judge>> = {
  0: (asked, text) => {
    const [at = ""] = text.split(",");
    const taken = parseIp(at);
    const wanted = [...new Set(asked.spec.map((written) => parseIp(written)?.text))];
    const isBefore = wanted.indexOf(at) >= 0 && wanted.indexOf(at) < wanted.indexOf(asked.ip.text);
    return isOlder(asked.world) && taken !== undefined && isBefore && isTaken(asked, taken);
  },
  1: ({ nodes }) => eligible(nodes).length === 0,
  3: (asked) => !isTaken(asked, asked.ip) && freeOnes(asked).length > 0,
  5: ({ nodes, ip }) => isHost(nodes, ip),
  6: ({ world, ip, name }) => (holderOf(world, ip) ?? name) !== name,
  7: ({ world, nodes, ip }) =>
    eligible(nodes).length > 0 && !eligible(nodes).some((node) => inside(networksOf(world, node), ip)),
  8: (asked) => freeOnes(asked).length === 0 && excluded(asked).length > 0,
  9: (asked) => freeOnes(asked).length === 0 && occupied(asked).length > 0,
  10: (asked) => asked.world.cloud && freeOnes(asked).length === 0 && fullOnes(asked).length > 0,
  14: ({ world, nodes }, text) => {
    const unreadable = nodes.filter(({ hosts }) => hosts === undefined).map(({ name }) => name);
    return !isOlder(world) && text.startsWith(`host-cidrs of ${unreadable.sort().join(", ")} cannot`);
  },
  16: isWrong,
  17: isWaiting,
  18: ({ world, nodes, ip }) =>
    world.cloud &&
    !eligible(nodes).some((node) => inside(networksOf(world, node), ip)) &&
    nodes.some((node) => inside(node.secondary, ip) && !inside(node.primary, ip)),
  19: ({ spec, ip }) => spec.filter((text) => parseIp(text)?.text === ip.text).length > 1,
};

/** Usable nodes that have a network for it, but no secondary one while others do. */
function excluded({ world, nodes, ip }: OfAddress): SeenNode[] {
  const chosen = nodesFor(world, nodes, ip);
  return eligible(nodes).filter((node) => inside(networksOf(world, node), ip) && !chosen.includes(node));
}

/** The status item of the address is wrong. */
function isWrong({ world, nodes, name, items, ip }: OfAddress): boolean {
  const item = items.find(({ egressIP }) => egressIP === ip.text);
  const node = nodes.find((one) => one.name === item?.node);
  const held = world.allocations.find((one) => one.node === item?.node)?.allocations ?? {};
  return (
    !node?.usable ||
    !inside(networksOf(world, node), ip) ||
    held[ip.text] !== name ||
    Object.values(held).filter((holder) => holder === name).length > 1 ||
    (isOlder(world) && isHost(nodes, ip))
  );
}

/** On a cloud: the possible reasons about the request for an address. */
const SAID_OF_REQUESTS: readonly (readonly [
  RegExp,
  (request: KubeObject | undefined, asked: OfAddress, said: string) => boolean,
])[] = [
  [/ is of EgressIP (.*)$/, (request, { name }, owner) => ownerOf(request) === owner && owner !== name],
  [/ is being deleted$/, (request) => request?.metadata.deletionTimestamp !== undefined],
  [/^the cloud has granted it on (\S+),/, (request, _asked, node) => grantedOn(request) === node],
  [
    /^the cloud has not granted it on (\S+) yet/,
    (request, _asked, node) =>
      grantedOn(request) !== node && textAt(objectAt(request, "spec"), "node") === node,
  ],
  [
    /^it is held on (\S+), and no CloudPrivateIPConfig asks for it/,
    (request, { world, name, ip }, node) =>
      request === undefined &&
      world.allocations.find((one) => one.node === node)?.allocations[ip.text] === name,
  ],
];

function isWaiting(asked: OfAddress, text: string): boolean {
  const { world, requests, ip } = asked;
  const request = requests.find(({ metadata: { name = "" } }) =>
    [name, name.replaceAll(".", ":")].some((written) => parseIp(written)?.text === ip.text),
  );
  const [pattern, isSo] = SAID_OF_REQUESTS.find(([form]) => form.test(text)) ?? [];
  return world.cloud && isSo?.(request, asked, pattern?.exec(text)?.[1] ?? "") === true;
}

const ownerOf = (request: KubeObject | undefined): string | undefined =>
  request?.metadata.annotations?.[OWNER];

/** The node on which the cloud reports the address as assigned, if it is the requested node. */
function grantedOn(request: KubeObject | undefined): string | undefined {
  const status = objectAt(request, "status");
  const node = textAt(status, "node");
  const isDone = objectsAt(status, "conditions")[0]?.["status"] === "True";
  return isDone && node === textAt(objectAt(request, "spec"), "node") ? node : undefined;
}

/** The node holds another address of the same object. */
const holdsOther = ({ world, name, ip }: OfAddress, node: SeenNode): boolean =>
  Object.entries(world.allocations.find((one) => one.node === node.name)?.allocations ?? {}).some(
    ([address, holder]) => holder === name && address !== ip.text,
  );

function hasRoom({ world, name, ip }: OfAddress, node: SeenNode): boolean {
  const own = world.allocations.find((one) => one.node === node.name)?.allocations[ip.text] === name;
  return !world.cloud || countOn(world, node.name) - (own ? 1 : 0) < node.cloud.limit;
}

/** True if the node itself is eligible. */
export const couldHave = (asked: OfAddress, node: SeenNode): boolean =>
  nodesFor(asked.world, asked.nodes, asked.ip).includes(node) &&
  !holdsOther(asked, node) &&
  hasRoom(asked, node);

/** Reports whether a reason against this node is true. */
export function isTrueOfNode({ row, text }: Reason, asked: OfAddress, node: SeenNode): boolean {
  const { world, ip, items } = asked;
  switch (row) {
    case 0:
      return (
        couldHave(asked, node) &&
        items.some((item) => item.egressIP === ip.text && text.endsWith(`stays on ${item.node}`))
      );
    case 7:
      return !inside(networksOf(world, node), ip);
    case 8:
      return (
        inside(node.primary, ip) && nodesFor(world, asked.nodes, ip).some((one) => !inside(one.primary, ip))
      );
    case 9:
      return holdsOther(asked, node);
    case 10:
      return world.cloud && !hasRoom(asked, node);
    case 11:
      return text.includes("label") ? !("k8s.ovn.org/egress-assignable" in node.labels) : !node.ready;
    case 12:
      return !node.answers;
    case 13:
      return !node.known;
    default:
      return false;
  }
}
