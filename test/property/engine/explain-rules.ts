// The explanation of an EgressIP matches the controller's decision, and each reason in it is true.
import { expect } from "vitest";
import { type IpAddress, parseIp } from "../../../src/apimachinery/meta/ip.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { Cluster } from "../../../src/ovn/cluster/cluster.ts";
import { type AddressAnswer, explainEgressIp } from "../../../src/ovn/explain/explain-egress-ip.ts";
import { DEFAULT_FACTS, snapshotOf } from "../../../src/ovn/snapshot.ts";
import { allReadable, type Item, readNodes } from "./cluster-view.ts";
import { type Asked, couldHave, isTrueOfAddress, isTrueOfNode } from "./reasons.ts";
import { RESOURCES, type Resource } from "./steps.ts";
import type { World } from "./world.ts";

/**
 * When idle, after every EgressIP has been reconciled again: no address waits that could be placed, and no assignment is
 * wrong.
 */
export async function checkExplained(
  world: World,
  { allLookedAt }: { readonly allLookedAt: boolean },
): Promise<void> {
  const nodes = await readNodes(world);
  // For a node whose own address became invalid, the controller knows more than the objects contain.
  if (nodes.some(({ primary }) => primary.length === 0)) return;
  const cluster = await clusterOf(world, ["nodes", "egressips", "cloudprivateipconfigs"]);
  const requests = await world.list("cloudprivateipconfigs");
  const isSettled = allLookedAt && allReadable(nodes);
  for (const object of await world.list("egressips")) {
    const { name = "" } = object.metadata;
    const spec = (object["spec"] as { egressIPs: string[] }).egressIPs; // the kind's shape
    const items = (object["status"] as { items: Item[] } | undefined)?.items ?? [];
    for (const answer of explainEgressIp(cluster, name)?.addresses ?? []) {
      const ip = parseIp(answer.address);
      checkAnswer({ world, nodes, name, spec, items, requests, ip }, answer);
      const rows = answer.reasons.map(({ row }) => row);
      if (isSettled) expect(rows, answer.summary).not.toEqual(expect.arrayContaining([3]));
      if (isSettled) expect(rows, answer.summary).not.toEqual(expect.arrayContaining([16]));
    }
  }
}

function checkAnswer(asked: Asked, answer: AddressAnswer): void {
  const what = `${asked.name}: ${answer.summary}`;
  const { ip, items, nodes } = asked;
  expect(answer.node, what).toBe(items.find(({ egressIP }) => egressIP === ip?.text)?.node);
  if (answer.node === undefined) expect(answer.reasons.length, what).toBeGreaterThan(0);
  for (const reason of answer.reasons) {
    expect(isTrueOfAddress(reason, asked), `${what} (${reason.row}: ${reason.text})`).toBe(true);
  }
  if (!ip || asked.spec.some((text) => !parseIp(text))) return; // for a text that is no address no node is evaluated
  expect(
    answer.nodes.map(({ node }) => node),
    what,
  ).toEqual(nodes.map(({ name }) => name).sort());
  checkNodes({ ...asked, ip }, answer);
}

function checkNodes(asked: Asked & { readonly ip: IpAddress }, answer: AddressAnswer): void {
  for (const { node: name, assigned, reasons, addresses } of answer.nodes) {
    const node = asked.nodes.find((one) => one.name === name);
    if (!node) throw new Error(`${name} is a node`);
    const what = `${asked.name}: ${asked.ip.text} on ${name}`;
    expect(assigned, what).toBe(name === answer.node);
    const held = asked.world.allocations.find((one) => one.node === name)?.allocations ?? {};
    expect(addresses, what).toBe(Object.keys(held).length);
    for (const reason of reasons)
      expect(isTrueOfNode(reason, asked, node), `${what} (${reason.text})`).toBe(true);
    if (!assigned && reasons.length === 0) expect(couldHave(asked, node), `${what} could be`).toBe(true);
  }
}

/** The cluster with these objects, as an explanation reads it. */
export async function clusterOf(world: World, resources: readonly Resource[]): Promise<Cluster> {
  const kinds = new Map<KubeObject, string>();
  for (const name of resources) {
    const { group, resource } = RESOURCES[name];
    for (const object of await world.list(name)) kinds.set(object, group ? `${resource}.${group}` : resource);
  }
  // Where users changed objects behind its back, the controller remembers more than they contain.
  const held = world.allocations.flatMap(({ node, allocations }) =>
    Object.entries(allocations).map(([address, egressIp]) => ({ egressIp, address, node })),
  );
  const snapshot = snapshotOf(kinds.keys(), (object) => kinds.get(object));
  return new Cluster(snapshot, { ...DEFAULT_FACTS, product: world.profile, onCloud: world.cloud, held });
}
