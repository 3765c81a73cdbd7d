// What can happen to a cluster, as generated steps: each names itself, so that a failing sequence can be read.
import fc from "fast-check";
import type { KubeObject } from "../../src/meta/object-meta.ts";
import { StatusError } from "../../src/meta/status.ts";
import {
  type Cluster,
  EGRESS_IPS,
  egressIpObject,
  LABEL,
  NODES,
  nodeObject,
} from "../unit/controllers/support.ts";

export class Step {
  readonly name: string;
  readonly #act: (cluster: Cluster) => Promise<unknown>;

  constructor(name: string, act: (cluster: Cluster) => Promise<unknown>) {
    this.name = name;
    this.#act = act;
  }

  /** A refusal (no such object, one of that name is there) is part of the game. */
  async take(cluster: Cluster): Promise<void> {
    try {
      await this.#act(cluster);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }

  toString(): string {
    return this.name;
  }
}

const NODE_NAMES = ["n1", "n2", "n3", "n4"] as const;
const ADDRESSES = [
  "10.0.0.5",
  "10.0.0.6",
  "10.0.0.7",
  "10.0.1.5",
  "10.9.0.5",
  "10.9.0.6",
  "fd00::5",
  "FD00:0::5",
  "8.8.8.8",
];
const PRIMARIES = ["10.0.0.1/24", "10.0.0.2/24", "10.0.1.1/24"];
const HOSTS = ['["10.0.0.1/24"]', '["10.9.0.1/24"]', '["10.9.0.5/24","fd00::1/64"]', "[]", '["fd00::2/64"]'];
export const BROKEN = "broken";

const node = fc.constantFrom(...NODE_NAMES);
const egressIp = fc.constantFrom("a", "b", "c", "d");
const address = fc.constantFrom(...ADDRESSES);
const addresses = fc.array(address, { maxLength: 4 });
const primary = fc.constantFrom(...PRIMARIES);
const hosts = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...HOSTS) },
  { weight: 1, arbitrary: fc.constant(BROKEN) },
);
const items = fc.array(fc.record({ egressIP: address, node: fc.constantFrom(...NODE_NAMES, "nowhere") }), {
  maxLength: 3,
});

const createNode = fc
  .tuple(node, primary, hosts)
  .map(([name, ipv4, cidrs]) => create(NODES, nodeObject(name, { ipv4, hosts: cidrs }), `${ipv4} ${cidrs}`));
const createEgressIp = fc
  .tuple(egressIp, addresses)
  .map(([name, ips]) => create(EGRESS_IPS, egressIpObject(name, ips), String(ips)));

const changeNode = fc.oneof(
  node.map((name) => remove(NODES, name)),
  fc
    .tuple(node, fc.constantFrom(null, "", "x"))
    .map(([name, value]) => merge(NODES, name, { metadata: { labels: { [LABEL]: value } } })),
  fc
    .tuple(node, fc.constantFrom("True", "False"))
    .map(([name, status]) => merge(NODES, name, { status: { conditions: [{ type: "Ready", status }] } })),
  fc.tuple(node, hosts).map(([name, cidrs]) => annotate(name, "host-cidrs", cidrs)),
  fc
    .tuple(node, fc.oneof(primary, fc.constant("")))
    .map(([name, ipv4]) => annotate(name, "node-primary-ifaddr", JSON.stringify({ ipv4 }))),
);

const changeEgressIp = fc.oneof(
  egressIp.map((name) => remove(EGRESS_IPS, name)),
  fc.tuple(egressIp, addresses).map(([name, egressIPs]) => merge(EGRESS_IPS, name, { spec: { egressIPs } })),
  egressIp.map((name) => merge(EGRESS_IPS, name, { spec: { egressIPs: ["10.0.0.5/24"] } })),
  fc.tuple(egressIp, items).map(([name, written]) => merge(EGRESS_IPS, name, { status: { items: written } })),
);

const disturb = fc.constantFrom(
  new Step("settle", (cluster) => cluster.idle()),
  new Step("breathe", () => new Promise((resolve) => setImmediate(resolve))),
  new Step("end watches", endWatches),
  new Step("lose history", async (cluster) => cluster.client.compact()),
  new Step("restart", (cluster) => cluster.restart()),
);

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: createNode },
    { weight: 4, arbitrary: createEgressIp },
    { weight: 5, arbitrary: changeNode },
    { weight: 5, arbitrary: changeEgressIp },
    { weight: 4, arbitrary: disturb },
  ),
  { minLength: 10, maxLength: 80, size: "max" },
);

type Resource = typeof NODES;

function create(resource: Resource, object: KubeObject, detail: string): Step {
  return new Step(`create ${resource.resource} ${object.metadata.name} ${detail}`, ({ client }) =>
    client.create(resource, object),
  );
}

export function merge(resource: Resource, name: string, body: unknown): Step {
  return new Step(`patch ${resource.resource} ${name} ${JSON.stringify(body)}`, ({ client }) =>
    client.patch(resource, { namespace: "", name }, { type: "merge", body }),
  );
}

function annotate(name: string, key: string, value: string): Step {
  return merge(NODES, name, { metadata: { annotations: { [`k8s.ovn.org/${key}`]: value } } });
}

function remove(resource: Resource, name: string): Step {
  return new Step(`delete ${resource.resource} ${name}`, ({ client }) =>
    client.delete(resource, { namespace: "", name }),
  );
}

async function endWatches(cluster: Cluster): Promise<void> {
  cluster.client.endWatches();
  await new Promise((resolve) => setImmediate(resolve));
  cluster.clock.advance(60_000); // the pause before a watch that ended without an event is opened again
}
