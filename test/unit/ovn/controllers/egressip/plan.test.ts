// A plan is a pure decision: it changes nothing, and after its execution a further plan is empty.

import fc from "fast-check";
import { expect, test } from "vitest";
import { Allocator } from "../../../../../src/ovn/assignment/allocator.ts";
import { type EgressIp, readEgressIp } from "../../../../../src/ovn/assignment/egress-ip-spec.ts";
import { readNodeState } from "../../../../../src/ovn/assignment/node-state.ts";
import { planEgressIp } from "../../../../../src/ovn/assignment/plan.ts";
import { egressIpObject, nodeObject } from "../../../kube/controllers/support.ts";

const NODES = ["n1", "n2", "n3"];
const ADDRESSES = [101, 102, 103, 104].map((last) => `192.168.126.${last}`);

const item = fc.record({ egressIP: fc.constantFrom(...ADDRESSES), node: fc.constantFrom(...NODES) });
const wish = fc.record({
  name: fc.constantFrom("a", "b"),
  addresses: fc.uniqueArray(fc.constantFrom(...ADDRESSES), { minLength: 1 }),
  items: fc.array(item, { maxLength: 3 }),
  sticky: fc.boolean(),
  conflictEndsSearch: fc.boolean(),
  hostAddressesFall: fc.boolean(),
});
const held = fc.record({ name: fc.constantFrom("a", "b"), item });
/** Which nodes carry the label, which of them has an address as its own. */
const cluster = fc.record({
  labelled: fc.uniqueArray(fc.constantFrom(...NODES)),
  host: fc.option(fc.constantFrom(...ADDRESSES), { nil: undefined }),
});

function allocatorOf({ labelled, host }: { labelled: string[]; host: string | undefined }): Allocator {
  const allocator = new Allocator();
  for (const [index, name] of NODES.entries()) {
    const hosts = host !== undefined && index === 0 ? [`${host}/24`] : [];
    const label = labelled.includes(name) ? "" : false;
    const node = nodeObject(name, { ipv4: `192.168.126.${index + 1}/24`, hosts, label });
    const state = readNodeState(node, undefined, {
      onCloud: false,
      hostCidrs: true,
    });
    allocator.setNode({ ...state, reachable: true });
  }
  return allocator;
}

const egressIpOf = (name: string, addresses: readonly string[], items: readonly object[]): EgressIp =>
  readEgressIp(egressIpObject(name, addresses, { status: { items } }));

const heldIn = (allocator: Allocator) => ["a", "b"].map((name) => [...allocator.heldBy(name)]);

test("a plan changes nothing, and what it places is held when it is carried out", () => {
  fc.assert(
    fc.property(cluster, fc.array(held, { maxLength: 5 }), wish, (nodes, before, asked) => {
      const allocator = allocatorOf(nodes);
      for (const { name, item: at } of before) allocator.allocate(name, at.egressIP, at.node);
      const stood = [allocator.describe(), heldIn(allocator)];
      const { name, addresses, items, ...options } = asked;
      const plan = planEgressIp(allocator, egressIpOf(name, addresses, items), options);
      expect([allocator.describe(), heldIn(allocator)]).toEqual(stood);
      if (!plan) return;
      allocator.hold(name, plan.held);
      const now = allocator.heldBy(name);
      for (const { egressIP, node } of plan.placed) expect(now.get(egressIP)).toBe(node);
      for (const address of now.keys()) expect(addresses).toContain(address);
    }),
  );
});

test("a plan for a status that is right leaves it so", () => {
  fc.assert(
    fc.property(cluster, wish, (nodes, { name, addresses, ...options }) => {
      const allocator = allocatorOf(nodes);
      const first = planEgressIp(allocator, egressIpOf(name, addresses, []), options);
      if (!first) throw new Error("the addresses are valid");
      allocator.hold(name, first.held);
      const written = egressIpOf(name, addresses, first.placed);
      const again = planEgressIp(allocator, written, options);
      expect(again).toMatchObject({ kept: first.placed, removed: [], freed: [], placed: [] });
      expect(again?.held).toEqual(first.held);
    }),
  );
});
