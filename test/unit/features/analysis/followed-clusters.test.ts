// A cluster that has followed any writes of a store equals a freshly built one, and an earlier snapshot does not change.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { runSync } from "../../../../src/apimachinery/scheduling/coroutine.ts";
import { encodeStored } from "../../../../src/apiserver/registry/codec/object-codec.ts";
import { definitionFromCrd } from "../../../../src/apiserver/registry/custom-resource.ts";
import { apiVersionOf, objectKey } from "../../../../src/apiserver/registry/definition/view.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { StoreClusters } from "../../../../src/features/analysis/store-snapshot.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import type { Cluster } from "../../../../src/ovn/cluster/cluster.ts";
import { DEFAULT_FACTS } from "../../../../src/ovn/snapshot.ts";
import { allEgressIps, egressIpsFor } from "../../../../src/ovn/trace/egress-ip-source.ts";
import { servicesAt } from "../../../../src/ovn/trace/services.ts";
import { readShippedDefinitions } from "../../../../src/server/manifests.ts";
import { createMemoryEngine } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import type { Store, TxnOp } from "../../../../src/storage/store.ts";
import { runs } from "../../../support/fuzz-runs.ts";
import { ManualClock } from "../../storage/manual-clock.ts";

const registry = new ResourceRegistry();
const shipped = await readShippedDefinitions();
registry.set(...BUILT_IN_RESOURCES, ...shipped.map((crd) => definitionFromCrd(crd)));

const NAMESPACES = ["a", "b"];
/** Few, so that several have the same. */
const ADDRESSES = ["10.128.0.5", "10.128.0.6", "192.0.2.7"];
const number = fc.nat(2);
const address = fc.constantFrom(...ADDRESSES);
const network = (name: string) =>
  JSON.stringify({ type: "ovn-k8s-cni-overlay", role: "primary", name, subnets: "10.128.0.0/24" });

interface Written {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly spec?: object;
  readonly status?: object;
}

/** What is written, by resource. */
const content: Readonly<Record<string, fc.Arbitrary<Written>>> = {
  nodes: fc.record({
    status: address.map((one) => ({ addresses: [{ type: "InternalIP", address: one }] })),
  }),
  namespaces: fc.record({
    labels: fc.constantFrom({}, { team: "x" }, { "k8s.ovn.org/primary-user-defined-network": "" }),
  }),
  pods: fc.record({
    annotations: fc.oneof(
      fc.constant({}),
      fc
        .record({ default: address, "a/net": address, "b/net": address }, { requiredKeys: [] })
        .map((said) => ({
          "k8s.ovn.org/pod-networks": JSON.stringify(
            Object.fromEntries(Object.entries(said).map(([key, ip]) => [key, { ip_address: `${ip}/24` }])),
          ),
        })),
    ),
    spec: fc.record({ nodeName: fc.constantFrom("n", "") }),
    status: fc.record({ phase: fc.constantFrom("Running", "Succeeded"), podIP: address }),
  }),
  services: fc.record({ spec: fc.record({ clusterIPs: fc.array(address), externalIPs: fc.array(address) }) }),
  "egressips.k8s.ovn.org": fc.record({
    spec: fc.record({ namespaceSelector: fc.constantFrom({}, { matchLabels: { team: "x" } }) }),
  }),
  "network-attachment-definitions.k8s.cni.cncf.io": fc.record({
    spec: fc.constantFrom("a", "b").map((name) => ({ config: network(name) })),
  }),
};

interface Write {
  readonly resource: string;
  readonly at: number;
  readonly namespace: string;
  /** undefined: it is taken away. */
  readonly with: Written | undefined;
}
const write = fc.constantFrom(...Object.keys(content)).chain(
  (resource): fc.Arbitrary<Write> =>
    fc.record({
      resource: fc.constant(resource),
      at: number,
      namespace: fc.constantFrom(...NAMESPACES),
      with: fc.option(content[resource] ?? fc.constant({}), { nil: undefined }),
    }),
);

/** All that verdicts look up. */
function seenIn(cluster: Cluster): object {
  const networks = [cluster.networks.default, ...cluster.networks.own.values()];
  const ips = ADDRESSES.map((text) => ({ family: 4 as const, value: 0n, text, mapped: false }));
  return {
    lists: Object.keys(content).map((resource) => cluster.snapshot.list(resource)),
    egressIps: allEgressIps(cluster).map(({ name }) => name),
    forNamespaces: NAMESPACES.map((one) => egressIpsFor(cluster, one).map(({ name }) => name)),
    nodes: ips.map((ip) => cluster.nodeAt(ip)?.object),
    services: ips.map((ip) => servicesAt(cluster, ip)),
    pods: networks.map((one) => [one.name, ips.map((ip) => cluster.podAt(one, ip)?.object)]),
  };
}

test("whatever is written, and whenever it is asked for", async () => {
  const steps = fc.array(fc.record({ writes: fc.array(write, { maxLength: 4 }), asks: fc.boolean() }));
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      await using store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
      const following = new StoreClusters({ store, registry });
      const afresh = () => new StoreClusters({ store, registry }).now(DEFAULT_FACTS);
      const earlier: { readonly cluster: Cluster; readonly seen: object }[] = [];
      for (const { writes, asks } of taken) {
        for (const one of writes) {
          const ops = opsOf(one, store);
          if (ops.length > 0) await store.commit(ops);
        }
        const cluster = following.now(DEFAULT_FACTS);
        // Some ask at once, others later, when the store has gone on.
        if (asks) expect(seenIn(cluster)).toEqual(seenIn(afresh()));
        earlier.push({ cluster, seen: seenIn(afresh()) });
        if (asks) runSync(cluster.readAhead());
      }
      for (const { cluster, seen } of earlier) expect(seenIn(cluster)).toEqual(seen);
    }),
    runs(100),
  );
});

/** What a write does to the store as it is; what is not there is not taken away. */
function opsOf({ resource, at, namespace, with: given }: Write, store: Store): TxnOp[] {
  const [name = "", ...group] = resource.split(".");
  const view = registry.findStorage(group.join("."), name);
  if (!view) throw new Error(`${resource} is not there`);
  const metadata = {
    ...{ name: name === "namespaces" ? (NAMESPACES[at % 2] ?? "") : `o${at}`, uid: "u" },
    ...(view.definition.namespaceScoped ? { namespace } : {}),
  };
  const key = objectKey(view.definition, metadata.namespace ?? "", metadata.name);
  const ifModRevision = store.get(key)?.modRevision;
  if (given === undefined) return ifModRevision === undefined ? [] : [{ type: "delete", key, ifModRevision }];
  const { labels, annotations, ...rest } = given;
  const object: KubeObject = {
    ...{ apiVersion: apiVersionOf(view), kind: view.definition.kind },
    metadata: { ...metadata, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
    ...rest,
  };
  const value = encodeStored(object, undefined);
  return ifModRevision === undefined
    ? [{ type: "create", key, value }]
    : [{ type: "update", key, value, ifModRevision }];
}
