import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { objectAt } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { definitionFromCrd } from "../../../../../src/apiserver/registry/custom-resource.ts";
import { CLUSTER_OPERATORS } from "../../../../../src/ovn/controllers/egressrouter.ts";
import { core, NADS, namespaceObject, type World } from "../../../ovn/controllers/networks/support.ts";
import {
  ADDRESSES,
  clusterOperatorCrd,
  DEPLOYMENT_NAME,
  DEPLOYMENTS,
  NAD_NAME,
  ROUTERS,
  RULES,
  router,
  startRouters,
} from "./support.ts";

const FIVE_MINUTES = 300_000;
const nad = (): Promise<KubeObject | undefined> => world.find(NADS, NAD_NAME, "ns");
const deployment = (): Promise<KubeObject | undefined> => world.find(DEPLOYMENTS, DEPLOYMENT_NAME, "ns");
const config = async (): Promise<string> => String(objectAt({ ...(await nad()) }, "spec")?.["config"]);
const ownersOf = (object: KubeObject | undefined): string[] =>
  (object?.metadata.ownerReferences ?? []).map(({ name }) => name);

let world: World;
beforeEach(async () => {
  world = await startRouters();
  await world.add(core("namespaces"), namespaceObject("ns"));
});
afterEach(() => world.stop());

describe("an EgressRouter", () => {
  test("f.1 gets a NetworkAttachmentDefinition and a Deployment of fixed names", async () => {
    await world.add(ROUTERS, router("r"));
    expect(await world.keys(NADS)).toEqual([`ns/${NAD_NAME}`]);
    expect(await world.keys(DEPLOYMENTS)).toEqual([`ns/${DEPLOYMENT_NAME}`]);
  });

  test("f.1 of two in a namespace the last one counts", async () => {
    await world.add(ROUTERS, router("a"));
    await world.add(ROUTERS, router("b", { addresses: [{ ip: "10.0.0.9/24", gateway: "10.0.0.1" }] }));
    expect(await config()).toContain('"addresses":["10.0.0.9/24"]');
    expect([ownersOf(await nad()), ownersOf(await deployment())]).toEqual([["b"], ["b"]]);
  });

  test("f.2 owns both, which recordEvent from which release they come", async () => {
    await world.add(ROUTERS, router("r"));
    const { uid } = (await world.find(ROUTERS, "r", "ns"))?.metadata ?? {};
    const owner = {
      apiVersion: "network.operator.openshift.io/v1",
      kind: "EgressRouter",
      name: "r",
      uid,
      controller: true,
    };
    for (const object of [await nad(), await deployment()]) {
      expect(object?.metadata.ownerReferences).toEqual([owner]);
      expect(object?.metadata.annotations).toEqual({ "release.openshift.io/version": "" });
    }
  });

  test("f.3 has one pod, attached with the gateway as its default route", async () => {
    await world.add(ROUTERS, router("r"));
    expect(await deployment()).toMatchObject({
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "egress-router-cni" } },
        template: {
          metadata: {
            labels: { app: "egress-router-cni" },
            annotations: {
              "target.workload.openshift.io/management": '{"effect": "PreferredDuringScheduling"}',
              "k8s.v1.cni.cncf.io/networks":
                '[{"name":"egress-router-cni-nad","default-route":["192.168.12.1"]}]',
            },
          },
          spec: {
            containers: [
              {
                name: "egress-router-cni-pod",
                image: "egress-router-cni:latest",
                command: ["/bin/sh", "-c", "sleep infinity"],
                terminationMessagePolicy: "FallbackToLogsOnError",
              },
            ],
          },
        },
      },
    });
  });

  test("f.4 tells the plugin its address, gateway and destinations", async () => {
    await world.add(ROUTERS, router("r"));
    expect(await config()).toBe(
      '{"cniVersion":"0.4.0","type":"egress-router","name":"egress-router-cni-nad",' +
        '"ip":{"addresses":["192.168.12.99/24"],"destinations":["80 UDP 203.0.113.25 8080"],' +
        '"gateway":"192.168.12.1"},"log_file":"/tmp/egress-router-log","log_level":"debug"}',
    );
  });

  test("f.4 only the first address counts; no target port means no last part; a fallback stands before the gateway", async () => {
    const { targetPort: _targetPort, ...rule } = RULES[0] ?? {};
    const redirect = { redirectRules: [rule], fallbackIP: "203.0.113.30" };
    const addresses = [...ADDRESSES, { ip: "192.168.13.99/24", gateway: "192.168.13.1" }];
    await world.add(ROUTERS, router("r", { redirect, addresses }));
    expect(await config()).toContain(
      '"ip":{"addresses":["192.168.12.99/24"],"destinations":["80 UDP 203.0.113.25"],' +
        '"fallbackIP":"203.0.113.30","gateway":"192.168.12.1"}',
    );
  });

  test("f.4 without rules has no destinations", async () => {
    await world.add(ROUTERS, router("r", { redirect: {} }));
    expect(await config()).toContain('"destinations":[]');
  });

  test("has changes of its spec followed", async () => {
    await world.add(ROUTERS, router("r"));
    const addresses = [{ ip: "192.168.12.98/24", gateway: "192.168.12.2" }];
    await world.edit(ROUTERS, "r", { spec: { addresses } }, "ns");
    expect(await config()).toContain('"addresses":["192.168.12.98/24"]');
    expect(JSON.stringify(await deployment())).toContain("192.168.12.2");
  });

  test("f.6 has no status written, and is told of nothing", async () => {
    await world.add(ROUTERS, router("r"));
    expect((await world.find(ROUTERS, "r", "ns"))?.["status"]).toBeUndefined();
    expect(await world.events()).toEqual([]);
  });

  test("f.7 has an edited or deleted object put back within five minutes", async () => {
    await world.add(ROUTERS, router("r"));
    const before = await config();
    await world.edit(NADS, NAD_NAME, { spec: { config: "{}" } }, "ns");
    await world.remove(DEPLOYMENTS, DEPLOYMENT_NAME, "ns");
    await world.advance(FIVE_MINUTES - 1);
    expect([await config(), await deployment()]).toEqual(["{}", undefined]);
    await world.advance(1);
    expect(await config()).toBe(before);
    expect(await deployment()).toBeDefined();
  });

  test("leaves what others add to its objects", async () => {
    await world.add(ROUTERS, router("r"));
    await world.edit(NADS, NAD_NAME, { metadata: { labels: { mine: "yes" } } }, "ns");
    world.takeWrites();
    await world.advance(FIVE_MINUTES);
    expect(world.takeWrites()).toEqual([]);
    expect((await nad())?.metadata.labels).toEqual({ mine: "yes" });
  });

  test("has nothing written when nothing changed, also after a restart", async () => {
    await world.add(ROUTERS, router("r"));
    world.takeWrites();
    await world.restart();
    await world.edit(ROUTERS, "r", { metadata: { labels: { touched: "yes" } } }, "ns");
    await world.advance(FIVE_MINUTES);
    expect(world.takeWrites()).toEqual([]);
  });

  test("f.7 that is deleted is followed no more", async () => {
    await world.add(ROUTERS, router("r"));
    await world.remove(ROUTERS, "r", "ns");
    await world.remove(NADS, NAD_NAME, "ns");
    await world.advance(FIVE_MINUTES);
    expect(await nad()).toBeUndefined();
  });
});

describe("one that cannot be made", () => {
  test.each<[string, object, string]>([
    ["without addresses", { addresses: [] }, "router without addresses"],
    [
      "whose address is no network",
      { addresses: [{ ip: "192.168.12.99", gateway: "192.168.12.1" }] },
      'error rendering manifests: map has no entry for key "Addresses"',
    ],
    [
      "without a gateway",
      { addresses: [{ ip: "192.168.12.99/24" }] },
      'error rendering manifests: map has no entry for key "Gateway"',
    ],
  ])("f.5 %s makes nothing", async (_rule, spec, error) => {
    await world.add(ROUTERS, router("r", spec));
    expect([await nad(), await deployment()]).toEqual([undefined, undefined]);
    expect(world.log.lines.join()).toContain(JSON.stringify(error).slice(1, -1));
  });

  test("is tried again with growing pauses, and heals with its spec", async () => {
    await world.add(ROUTERS, router("r", { addresses: [] }));
    await world.advance(60_000);
    await world.edit(ROUTERS, "r", { spec: { addresses: ADDRESSES } }, "ns");
    expect(await nad()).toBeDefined();
  });

  test("because the server refuses is tried again", async () => {
    world.refuse = ({ resource }) => (resource === "deployments" ? new Error("no room") : undefined);
    await world.add(ROUTERS, router("r"));
    expect(world.log.lines.join()).toContain(
      `failed to apply / update (apps/v1, Kind=Deployment) ns/${DEPLOYMENT_NAME}: no room`,
    );
    world.refuse = () => undefined;
    await world.advance(5);
    expect(await deployment()).toBeDefined();
  });
});

describe("f.6 a failure that lasts", () => {
  const NETWORK = { namespace: "", name: "network" };
  const MESSAGE = "could not reconcile Egress Router ns/r: router without addresses";
  const OTHER = { type: "Available", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
  const degraded = async (): Promise<string> => world.condition(CLUSTER_OPERATORS, "Degraded", "network");

  beforeEach(async () => {
    world.registry.set(definitionFromCrd(clusterOperatorCrd));
    await world.add(CLUSTER_OPERATORS, {
      apiVersion: "config.openshift.io/v1",
      kind: "ClusterOperator",
      metadata: { name: "network" },
    });
    const options = {
      type: "merge",
      body: { status: { conditions: [OTHER] } },
      subresource: "status",
    } as const;
    await world.client.patch(CLUSTER_OPERATORS, NETWORK, options);
    await world.add(ROUTERS, router("r", { addresses: [] }));
  });

  test("shows at the ClusterOperator after two minutes, once a retry finds it so", async () => {
    await world.advance(100_000);
    expect(await degraded()).toBe("none");
    for (let time = 0; time < 10; time++) await world.advance(100_000);
    expect(await degraded()).toBe(`True EgressRouterError: ${MESSAGE}`);
    expect(await world.condition(CLUSTER_OPERATORS, "Available", "network")).toContain("True");
  });

  test("is taken back when it is over", async () => {
    for (let time = 0; time < 10; time++) await world.advance(100_000);
    await world.edit(ROUTERS, "r", { spec: { addresses: ADDRESSES } }, "ns");
    expect(await degraded()).toContain("False");
  });

  test("of 4.13 shows at once, and in its words", async () => {
    await world.stop();
    world = await startRouters("openshift-4.13");
    world.registry.set(definitionFromCrd(clusterOperatorCrd));
    await world.add(core("namespaces"), namespaceObject("ns"));
    await world.add(CLUSTER_OPERATORS, {
      apiVersion: "config.openshift.io/v1",
      kind: "ClusterOperator",
      metadata: { name: "network" },
    });
    await world.add(ROUTERS, router("r", { addresses: [] }));
    expect(await degraded()).toContain(
      "could not reconcile Egress Router ns/r: Error: router without addresses",
    );
    await world.edit(ROUTERS, "r", { spec: { addresses: ADDRESSES } }, "ns");
    expect(JSON.stringify(await deployment())).not.toContain("100m");
  });

  test("is not written twice, and what others recordEvent of the operator stays", async () => {
    for (let time = 0; time < 10; time++) await world.advance(100_000);
    world.takeWrites();
    for (let time = 0; time < 10; time++) await world.advance(100_000);
    expect(world.takeWrites()).toEqual([]);
  });
});
