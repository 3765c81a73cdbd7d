// Rules for CloudPrivateIPConfigs once the controllers are idle and the cloud has answered.
import { expect } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { allReadable, readEgressIps, readNodes, type SeenEgressIp, type SeenNode } from "./cluster-view.ts";
import { holderOf, isHost, isOlder } from "./egress-ip-rules.ts";
import type { World } from "./world.ts";

type Config = KubeObject & {
  spec: { node: string };
  status?: { node: string; conditions: { status: string }[] };
};

/** Returns the CloudPrivateIPConfigs and the names of the existing nodes. */
async function requestsIn(
  world: World,
): Promise<{ readonly configs: readonly Config[]; readonly nodes: ReadonlySet<string> }> {
  const configs = (await world.list("cloudprivateipconfigs")) as Config[]; // the kind's shape
  return { configs, nodes: new Set((await world.list("nodes")).map(({ metadata }) => metadata.name ?? "")) };
}

/**
 * Every assigned address has a CloudPrivateIPConfig for its node, no other request exists, and status items are the
 * addresses the cloud granted.
 */
export async function checkRequests(world: World): Promise<void> {
  const { configs, nodes } = await requestsIn(world);
  const owner = ({ metadata }: Config) => metadata.annotations?.["k8s.ovn.org/egressip-owner-ref"] ?? "";
  const address = ({ metadata }: Config): string => addressOf(metadata.name ?? "");
  const readable = new Map((await readEgressIps(world)).map((egressIp) => [egressIp.name, egressIp]));
  const names = new Set((await world.list("egressips")).map(({ metadata }) => metadata.name ?? ""));
  // An EgressIP whose spec cannot be parsed keeps its requests unchanged.
  const isRead = (name: string): boolean => readable.has(name) || !names.has(name);
  const isLost = (config: Config): boolean => isLostOn(world, nodes, config);
  const live = configs.filter((config) => isRead(owner(config)) && !isLost(config));
  const asked = live.map((config) => `${address(config)}@${config.spec.node} of ${owner(config)}`);
  const allocated = world.allocations.flatMap(({ node, eligible, allocations }) =>
    Object.entries(allocations).flatMap(([ip, name]) =>
      isRead(name) ? [{ ip, eligible, text: `${ip}@${node} of ${name}` }] : [],
    ),
  );
  expect(
    allocated.map(({ text }) => text),
    "what is asked for is allocated",
  ).toEqual(expect.arrayContaining(asked));
  // A CloudPrivateIPConfig created for another owner is kept as it is and serves that owner. An address that the cloud
  // still retries on a deleted node cannot be requested for another node.
  const isStuck = (config: Config): boolean => isOlder(world) && isLost(config);
  const others = new Set(configs.filter((config) => !isRead(owner(config)) || isStuck(config)).map(address));
  const seen = await readNodes(world);
  const readsHosts = allReadable(seen); // otherwise the controller requests nothing
  const unreached = unreachedIn(world, seen, [...readable.values()]);
  for (const { ip, eligible, text } of allocated) {
    if (readsHosts && eligible && !others.has(ip) && !unreached.has(text)) expect(asked).toContain(text);
  }
  for (const config of live) {
    expect(config.status, `the cloud on ${config.metadata.name}`).toMatchObject({
      node: config.spec.node,
      conditions: [{ status: "True" }],
    });
    const egressIp = readable.get(owner(config));
    const item = { egressIP: address(config), node: config.spec.node };
    if (egressIp) expect(egressIp.items, `items of ${egressIp.name}`).toContainEqual(item);
  }
}

/**
 * True for a request on a node that was deleted before the cloud answered. The request stays until its address is
 * requested again. Older profiles report nothing about it, unless the cloud refused before the node was deleted: then the
 * cloud keeps retrying.
 */
function isLostOn(world: World, nodes: ReadonlySet<string>, { spec, status }: Config): boolean {
  const unanswered = isOlder(world) ? ["Unknown", "False"] : ["False"];
  return unanswered.includes(status?.conditions[0]?.status ?? "") && !nodes.has(spec.node);
}

/**
 * Reports whether an older profile holds an address on a node while its request still names a deleted node. Only the
 * controller's memory records this; after a restart another object may get the address.
 */
export async function holdsInMemoryAlone(world: World): Promise<boolean> {
  if (!isOlder(world)) return false;
  const { configs, nodes } = await requestsIn(world);
  const lost = configs.filter((config) => isLostOn(world, nodes, config));
  const held = new Set(world.allocations.flatMap(({ allocations }) => Object.keys(allocations)));
  return lost.some(({ metadata }) => held.has(addressOf(metadata.name ?? "")));
}

/** The names of requests that the cloud refused on a node that is deleted since. */
export async function refusedOnLostNodes(world: World): Promise<string[]> {
  const { configs, nodes } = await requestsIn(world);
  return configs
    .filter(({ spec, status }) => status?.conditions[0]?.status === "False" && !nodes.has(spec.node))
    .map(({ metadata }) => metadata.name ?? "");
}

/**
 * Addresses that an older profile holds without a request: the request is deleted, the spec gains an earlier address that
 * belongs to another object, and the search stops at that address.
 */
function unreachedIn(
  world: World,
  nodes: readonly SeenNode[],
  egressIps: readonly SeenEgressIp[],
): ReadonlySet<string> {
  if (!isOlder(world)) return new Set();
  const found = egressIps.flatMap(({ name, wanted, items }) => {
    const missing = wanted.filter(({ text }) => !items.some(({ egressIP }) => egressIP === text));
    const end = missing.findIndex((ip) => isHost(nodes, ip) || (holderOf(world, ip) ?? name) !== name);
    const behind = new Set(end < 0 ? [] : missing.slice(end + 1).map(({ text }) => text));
    return world.allocations.flatMap(({ node, allocations }) =>
      Object.keys(allocations)
        .filter((ip) => behind.has(ip))
        .map((ip) => `${ip}@${node} of ${name}`),
    );
  });
  return new Set(found);
}

const addressOf = (name: string): string => (name.split(".").length === 4 ? name : name.replaceAll(".", ":"));
