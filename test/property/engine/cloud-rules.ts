// What holds of CloudPrivateIPConfigs once all is quiet and the cloud has answered.
import { expect } from "vitest";
import type { KubeObject } from "../../../src/meta/object-meta.ts";
import { allReadable, readEgressIps, readNodes, type SeenEgressIp, type SeenNode } from "./cluster-view.ts";
import { holderOf, isHost, isOlder } from "./egress-ip-rules.ts";
import type { World } from "./world.ts";

type Config = KubeObject & {
  spec: { node: string };
  status?: { node: string; conditions: { status: string }[] };
};

/** What is asked for, and the names of the nodes that are there. */
async function requestsIn(
  world: World,
): Promise<{ readonly configs: readonly Config[]; readonly nodes: ReadonlySet<string> }> {
  const configs = (await world.list("cloudprivateipconfigs")) as Config[]; // the kind's shape
  return { configs, nodes: new Set((await world.list("nodes")).map(({ metadata }) => metadata.name ?? "")) };
}

/** Every allocated address is asked for on its node, nothing else is, and items are what the cloud has granted. */
export async function checkRequests(world: World): Promise<void> {
  const { configs, nodes } = await requestsIn(world);
  const owner = ({ metadata }: Config) => metadata.annotations?.["k8s.ovn.org/egressip-owner-ref"] ?? "";
  const address = ({ metadata }: Config): string => addressOf(metadata.name ?? "");
  const readable = new Map((await readEgressIps(world)).map((egressIp) => [egressIp.name, egressIp]));
  const names = new Set((await world.list("egressips")).map(({ metadata }) => metadata.name ?? ""));
  // Nothing is touched of an EgressIP whose spec cannot be read.
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
  // An object that was made for another is taken as it is, and speaks to that one. What the cloud goes on trying on a
  // node that is gone cannot be asked for elsewhere.
  const isStuck = (config: Config): boolean => isOlder(world) && isLost(config);
  const others = new Set(configs.filter((config) => !isRead(owner(config)) || isStuck(config)).map(address));
  const seen = await readNodes(world);
  const readsHosts = allReadable(seen); // else nothing is asked for
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
 * What was asked for on a node that went before the cloud had answered stays until its address is asked for again. An older
 * product says nothing of it, unless the cloud had refused before the node went: the cloud goes on trying.
 */
function isLostOn(world: World, nodes: ReadonlySet<string>, { spec, status }: Config): boolean {
  const unanswered = isOlder(world) ? ["Unknown", "False"] : ["False"];
  return unanswered.includes(status?.conditions[0]?.status ?? "") && !nodes.has(spec.node);
}

/**
 * Whether an older product holds an address on a node while its request goes on elsewhere, on a node that is gone: only its
 * memory knows that, and after a restart the place may be somebody else's.
 */
export async function holdsInMemoryAlone(world: World): Promise<boolean> {
  if (!isOlder(world)) return false;
  const { configs, nodes } = await requestsIn(world);
  const lost = configs.filter((config) => isLostOn(world, nodes, config));
  const held = new Set(world.allocations.flatMap(({ allocations }) => Object.keys(allocations)));
  return lost.some(({ metadata }) => held.has(addressOf(metadata.name ?? "")));
}

/** The names of requests that the cloud has refused on a node that has gone since. */
export async function refusedOnLostNodes(world: World): Promise<string[]> {
  const { configs, nodes } = await requestsIn(world);
  return configs
    .filter(({ spec, status }) => status?.conditions[0]?.status === "False" && !nodes.has(spec.node))
    .map(({ metadata }) => metadata.name ?? "");
}

/**
 * What an older product holds and does not ask for: somebody deletes the request, the spec gets an address of somebody else
 * before that one, and the search ends there.
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
