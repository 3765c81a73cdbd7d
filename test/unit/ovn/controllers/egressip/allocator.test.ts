// After any node changes and allocations, the allocator returns the same as one that evaluates every node again.
import fc from "fast-check";
import { expect, test } from "vitest";
import { cidrContains, type IpAddress, parseCidr, parseIp } from "../../../../../src/apimachinery/meta/ip.ts";
import { Allocator } from "../../../../../src/ovn/assignment/allocator.ts";
import { type NodeState, readNodeState } from "../../../../../src/ovn/assignment/node-state.ts";
import { nodeObject } from "../../../kube/controllers/support.ts";

const NODES = ["n1", "n2", "n3", "n4"];
const NETWORKS = ["10.0.0.1/24", "10.0.0.1/16", "10.0.1.1/24", "fd00::1/64"];
const ADDRESSES = ["10.0.0.7", "10.0.0.8", "10.0.1.7", "10.1.0.7", "fd00::7", "fd00:1::7"];
const EGRESS_IPS = ["a", "b"];

const limit = fc.constantFrom(undefined, undefined, 0, 1, 2);
const plain = readNodeState(nodeObject("any"), undefined, {
  onCloud: false,
  hostCidrs: true,
});
const cidrs = fc
  .uniqueArray(fc.constantFrom(...NETWORKS), { maxLength: 2 })
  .map((texts) => texts.flatMap((text) => parseCidr(text) ?? []));
const often = fc.integer({ min: 0, max: 5 }).map((number) => number > 0);

const state: fc.Arbitrary<NodeState> = fc
  .record({
    name: fc.constantFrom(...NODES),
    labelled: often,
    ready: often,
    reachable: often,
    known: often,
    primary: cidrs,
    secondary: cidrs,
    capacity: fc.record({ total: limit, ipv4: limit, ipv6: limit }),
    hostAddresses: fc.option(fc.uniqueArray(fc.constantFrom(...ADDRESSES), { maxLength: 2 }), {
      nil: undefined,
      freq: 5,
    }),
  })
  .map((said) => ({ ...plain, ...said }));

type Step =
  | { readonly type: "node"; readonly state: NodeState }
  | { readonly type: "gone"; readonly name: string }
  | {
      readonly type: "hold" | "free";
      readonly egressIp: string;
      readonly address: string;
      readonly node: string;
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("node" as const), state }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("gone" as const), name: fc.constantFrom(...NODES) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom("hold" as const, "hold" as const, "free" as const),
      egressIp: fc.constantFrom(...EGRESS_IPS),
      address: fc.constantFrom(...ADDRESSES),
      node: fc.constantFrom(...NODES),
    }),
  },
);

interface Held {
  readonly egressIp: string;
  readonly address: string;
  readonly node: string;
}

/** Two lists, and questions that look at all of them. */
class Model {
  readonly nodes = new Map<string, NodeState>();
  held: Held[] = [];

  /** Carries the step out. Returns the names of the EgressIPs that lost an address. */
  take(step: Step): string[] {
    if (step.type === "node") {
      this.nodes.set(step.state.name, step.state);
      return step.state.labelled && step.state.ready ? [] : this.#empty(step.state.name);
    }
    if (step.type === "gone") {
      this.nodes.delete(step.name);
      return this.#empty(step.name);
    }
    const { type, ...held } = step;
    if (type === "free") {
      this.held = this.held.filter(
        (other) => other.address !== held.address || other.egressIp !== held.egressIp,
      );
    } else if (this.nodes.get(held.node)?.known && this.holderOf(held.address) === undefined) {
      this.held.push(held);
    }
    return [];
  }

  #empty(node: string): string[] {
    const lost = this.held.filter((held) => held.node === node);
    this.held = this.held.filter((held) => held.node !== node);
    return [...new Set(lost.map(({ egressIp }) => egressIp))].sort();
  }

  holderOf(address: string): Held | undefined {
    return this.held.find((held) => held.address === address);
  }

  isEligible(node: NodeState): boolean {
    return node.labelled && node.ready && node.reachable && node.known;
  }

  choose(egressIp: string, ip: IpAddress, planned: ReadonlyMap<string, string>): string | undefined {
    const mine = (held: Held) => held.egressIp === egressIp && planned.get(held.address) !== held.node;
    const on = (node: NodeState) => this.held.filter((held) => held.node === node.name && !mine(held));
    const eligible = [...this.nodes.values()].filter((node) => this.isEligible(node));
    const inPrimary = (node: NodeState) => node.primary.some((cidr) => cidrContains(cidr, ip));
    const inSecondary = (node: NodeState) => node.secondary.some((cidr) => cidrContains(cidr, ip));
    const beside = eligible.filter((node) => inSecondary(node) && !inPrimary(node));
    const hasRoom = (node: NodeState) => {
      const { total, ipv4, ipv6 } = node.capacity;
      const family = ip.family === 4 ? ipv4 : ipv6;
      const same = on(node).filter(({ address }) => parseIp(address)?.family === ip.family);
      return on(node).length < (total ?? 100) && same.length < (family ?? 100);
    };
    const [best] = (beside.length > 0 ? beside : eligible.filter(inPrimary))
      .filter((node) => ![...planned.values()].includes(node.name) && hasRoom(node))
      .sort((a, b) => on(a).length - on(b).length || (a.name < b.name ? -1 : 1));
    return best?.name;
  }
}

const ips = ADDRESSES.flatMap((text) => parseIp(text) ?? []);

test("its answers are those of one that asks every node", () => {
  const planned = fc.uniqueArray(fc.tuple(fc.constantFrom(...ADDRESSES), fc.constantFrom(...NODES)), {
    maxLength: 2,
    selector: ([address]) => address,
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), planned, (steps, pairs) => {
      const [allocator, model] = [new Allocator(), new Model()];
      for (const step of steps) {
        let lost: string[] = [];
        if (step.type === "node") lost = allocator.setNode(step.state);
        else if (step.type === "gone") lost = allocator.removeNode(step.name);
        else if (step.type === "hold") allocator.allocate(step.egressIp, step.address, step.node);
        else allocator.release(step.egressIp, step.address);
        expect(lost.sort()).toEqual(model.take(step));
      }
      const nodes = [...model.nodes.values()];
      expect(new Set(allocator.nodes())).toEqual(new Set(nodes));
      expect(allocator.hasEligibleNode).toBe(nodes.some((node) => model.isEligible(node)));
      expect(allocator.hostAddressesKnown).toBe(nodes.every((node) => node.hostAddresses !== undefined));
      for (const ip of ips) checkAddress(allocator, model, ip);
      for (const egressIp of EGRESS_IPS) {
        const mine = model.held.filter((held) => held.egressIp === egressIp);
        expect(new Map(allocator.heldBy(egressIp))).toEqual(
          new Map(mine.map((held) => [held.address, held.node])),
        );
        for (const ip of ips) {
          const plan = new Map(pairs);
          expect(allocator.chooseNode(egressIp, ip, plan)).toBe(model.choose(egressIp, ip, plan));
        }
      }
      expect(new Map(allocator.describe().map((one) => [one.node, one]))).toEqual(
        new Map(nodes.map((node) => [node.name, describe(model, node)])),
      );
      for (const egressIp of EGRESS_IPS) allocator.releaseAll(egressIp);
      expect(allocator.describe().flatMap(({ allocations }) => Object.keys(allocations))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

function checkAddress(allocator: Allocator, model: Model, ip: IpAddress): void {
  const holder = model.holderOf(ip.text);
  expect(allocator.holderOf(ip.text)).toEqual(holder && { egressIp: holder.egressIp, node: holder.node });
  const hosts = [...model.nodes.values()].filter(({ hostAddresses }) => hostAddresses?.includes(ip.text));
  expect(allocator.hostOf(ip.text)).toBe(hosts.map(({ name }) => name).sort()[0]);
  for (const name of [...NODES, "nobody"]) {
    const node = model.nodes.get(name);
    const inNetwork = [...(node?.primary ?? []), ...(node?.secondary ?? [])].some((cidr) =>
      cidrContains(cidr, ip),
    );
    expect(allocator.hasNetwork(name, ip)).toBe(node?.known === true && inNetwork);
    expect(allocator.canHost(name, ip)).toBe(node !== undefined && model.isEligible(node) && inNetwork);
  }
}

const describe = (model: Model, node: NodeState) => ({
  node: node.name,
  eligible: model.isEligible(node),
  allocations: Object.fromEntries(
    model.held.filter((held) => held.node === node.name).map((held) => [held.address, held.egressIp]),
  ),
});

test("of the same load the first by name is chosen, of a whole cluster the least loaded", () => {
  const allocator = new Allocator();
  const network = parseCidr("10.0.0.1/24");
  const usable = {
    labelled: true,
    ready: true,
    reachable: true,
    known: true,
    primary: network ? [network] : [],
  };
  for (const name of ["n3", "n1", "n2"]) allocator.setNode({ ...plain, ...usable, name, hostAddresses: [] });
  const chosen: (string | undefined)[] = [];
  for (let last = 10; last < 16; last++) {
    const ip = parseIp(`10.0.0.${last}`);
    const node = ip && allocator.chooseNode(`e${last}`, ip, new Map());
    if (ip && node !== undefined) allocator.allocate(`e${last}`, ip.text, node);
    chosen.push(node);
  }
  expect(chosen).toEqual(["n1", "n2", "n3", "n1", "n2", "n3"]);
});
