import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { core, NADS, namespaceObject, type World } from "../networks/support.ts";
import {
  CREATED,
  FINALIZER,
  layer2,
  layer3,
  PRIMARY,
  podOn,
  SECONDARY,
  startNetworks,
  UDNS,
  udn,
} from "./support.ts";

const NAMESPACES = core("namespaces");
const PRIMARY_2 = layer2("Primary", ["10.200.0.0/16"]);
const created = (name: string): Promise<string> => world.condition(UDNS, "NetworkCreated", name, "ns");
const nad = (name: string): Promise<KubeObject | undefined> => world.find(NADS, name, "ns");

let world: World;
beforeEach(async () => {
  world = await startNetworks();
});
afterEach(() => world.stop());

describe("a UserDefinedNetwork", () => {
  beforeEach(() => world.add(NAMESPACES, namespaceObject("ns")));

  test("makes a NetworkAttachmentDefinition of its name; both get the finalizer", async () => {
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    expect(await created("net")).toBe(CREATED);
    expect((await world.find(UDNS, "net", "ns"))?.metadata.finalizers).toEqual([FINALIZER]);
    expect((await nad("net"))?.metadata.finalizers).toEqual([FINALIZER]);
  });

  test("takes it along when it goes", async () => {
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    await world.remove(UDNS, "net", "ns");
    expect([await nad("net"), await world.find(UDNS, "net", "ns")]).toEqual([undefined, undefined]);
  });

  test("is told that its network is allocated, and its number and name are noted", async () => {
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    expect(await world.condition(UDNS, "NetworkAllocationSucceeded", "net", "ns")).toBe(
      "True NetworkAllocationSucceeded: Network allocation succeeded for all synced nodes.",
    );
    expect((await nad("net"))?.metadata.annotations).toEqual({
      "k8s.ovn.org/network-id": "1",
      "k8s.ovn.org/network-name": "ns_net",
    });
  });

  test("has its changes followed: labels, annotations, further subnets", async () => {
    await world.edit(NAMESPACES, "ns", { metadata: { labels: { [PRIMARY]: "" } } });
    await world.add(UDNS, udn("ns", "net", layer3("Primary", [{ cidr: "10.201.0.0/16" }])));
    await world.edit(
      UDNS,
      "net",
      {
        metadata: { labels: { c: "d" }, annotations: { "example.com/x": "y" } },
        spec: { layer3: { subnets: [{ cidr: "10.201.0.0/16" }, { cidr: "10.203.0.0/16" }] } },
      },
      "ns",
    );
    const found = await nad("net");
    expect(found?.metadata.labels).toMatchObject({ c: "d" });
    expect(found?.metadata.annotations).toMatchObject({
      "example.com/x": "y",
      "k8s.ovn.org/network-id": "1",
    });
    expect(found?.["spec"]).toMatchObject({ config: expect.stringContaining("10.201.0.0/16,10.203.0.0/16") });
  });

  test("what a user changes in the NetworkAttachmentDefinition is put back", async () => {
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    const before = await nad("net");
    await world.edit(
      NADS,
      "net",
      { metadata: { labels: { x: "y" }, annotations: { was: "here" } }, spec: { config: "{}" } },
      "ns",
    );
    const after = await nad("net");
    expect([after?.metadata.labels, after?.metadata.annotations, after?.["spec"]]).toEqual([
      before?.metadata.labels,
      before?.metadata.annotations,
      before?.["spec"],
    ]);
  });

  test("one deleted by a user stays, terminating, and the condition says so", async () => {
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    await world.remove(NADS, "net", "ns");
    expect(await created("net")).toBe(
      "False NetworkAttachmentDefinitionDeleted: NetworkAttachmentDefinition is being deleted",
    );
    expect((await nad("net"))?.metadata.deletionTimestamp).toBeDefined();
  });

  test("once that is gone it is made anew only when something happens to the network", async () => {
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    await world.remove(NADS, "net", "ns");
    await world.edit(NADS, "net", { metadata: { finalizers: null } }, "ns");
    await world.edit(NAMESPACES, "ns", { metadata: { labels: { touched: "yes" } } });
    expect(await nad("net")).toBeUndefined();
    await world.edit(UDNS, "net", { metadata: { labels: { touched: "yes" } } }, "ns");
    expect((await nad("net"))?.metadata.labels).toMatchObject({ touched: "yes" });
    expect(await created("net")).toBe(CREATED);
  });

  test("does not touch a foreign NetworkAttachmentDefinition of its name", async () => {
    await world.add(NADS, {
      apiVersion: "k8s.cni.cncf.io/v1",
      kind: "NetworkAttachmentDefinition",
      metadata: { namespace: "ns", name: "net" },
    });
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    expect(await created("net")).toBe(
      "False SyncError: foreign NetworkAttachmentDefinition with the desired name already exist [ns/net]",
    );
    await world.remove(UDNS, "net", "ns");
    expect(await world.find(UDNS, "net", "ns")).toBeUndefined();
    expect(await nad("net")).toBeDefined();
  });

  test("stays while pods of the namespace use it, and goes with the last of them", async () => {
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    await world.add(core("pods"), podOn("ns", "q", "net"));
    await world.add(core("pods"), podOn("ns", "p", "net"));
    await world.add(core("pods"), podOn("ns", "r", "other"));
    await world.remove(UDNS, "net", "ns");
    expect(await created("net")).toBe(
      "False SyncError: failed to delete NetworkAttachmentDefinition [ns/net]: " +
        "network in use by the following pods: [ns/p ns/q]",
    );
    await world.remove(core("pods"), "p", "ns");
    expect(await created("net")).toMatch(/\[ns\/q\]$/);
    await world.remove(core("pods"), "q", "ns");
    expect(await world.find(UDNS, "net", "ns")).toBeUndefined();
  });

  test("a condition that another manager took over stays as that one wrote it", async () => {
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    const mine = {
      type: "NetworkCreated",
      status: "False",
      reason: "Mine",
      message: "taken",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const { status: _status, ...object } = udn("ns", "net", SECONDARY);
    await world.clientFor("somebody").patch(
      UDNS,
      { namespace: "ns", name: "net" },
      {
        type: "apply",
        subresource: "status",
        force: true,
        body: { ...object, status: { conditions: [mine] } },
      },
    );
    await world.idle();
    world.takeWrites();
    await world.advance(1_000);
    expect(await created("net")).toBe("False Mine: taken");
    expect(world.takeWrites()).toContain("patch userdefinednetworks net");
  });

  test("is written in two names: the condition, applied, in its own", async () => {
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    const { managedFields = [] } = (await world.find(UDNS, "net", "ns"))?.metadata ?? {};
    expect(
      managedFields.map(({ manager, operation, subresource }) => [manager, operation, subresource]),
    ).toEqual([
      ["NetworkClusterController", "Apply", "status"],
      ["user-defined-network-controller", "Apply", "status"],
      ["ovnkube-cluster-manager", "Update", undefined],
      ["test", "Update", undefined],
    ]);
  });

  test("nothing is written when nothing changed, also after a restart", async () => {
    await world.add(UDNS, udn("ns", "net", SECONDARY));
    await world.add(UDNS, udn("ns", "bad", layer3("Secondary", [{ cidr: "10.201.0.0/25" }])));
    world.takeWrites();
    await world.restart();
    await world.add(core("pods"), podOn("ns", "p", "net"));
    expect(world.takeWrites()).toEqual([]);
  });
});

describe("a primary network", () => {
  test("needs the label on its namespace; any value will do, and it may come later", async () => {
    await world.add(NAMESPACES, namespaceObject("ns"));
    await world.add(UDNS, udn("ns", "net", PRIMARY_2));
    expect(await created("net")).toBe(
      'False SyncError: invalid primary network state for namespace "ns": ' +
        "a valid primary user defined network or network attachment definition custom resource, " +
        `and required namespace label "${PRIMARY}" must both be present`,
    );
    await world.edit(NAMESPACES, "ns", { metadata: { labels: { [PRIMARY]: "no" } } });
    expect(await created("net")).toBe(CREATED);
  });

  test("is the only one of its namespace, beside secondary ones", async () => {
    await world.add(NAMESPACES, namespaceObject("ns", { [PRIMARY]: "" }));
    await world.add(UDNS, udn("ns", "net", PRIMARY_2));
    await world.add(UDNS, udn("ns", "two", layer3("Primary", [{ cidr: "10.201.0.0/16" }])));
    await world.add(UDNS, udn("ns", "three", layer3("Secondary", [{ cidr: "10.201.0.0/16" }])));
    expect(await created("two")).toBe(
      'False SyncError: primary network already exist in namespace "ns": "net"',
    );
    expect(await created("three")).toBe(CREATED);
    await world.remove(UDNS, "net", "ns");
    await world.advance(60_000);
    expect(await created("two")).toBe(CREATED);
  });

  test("a NetworkAttachmentDefinition that cannot be read might be a primary one", async () => {
    await world.add(NAMESPACES, namespaceObject("ns", { [PRIMARY]: "" }));
    await world.add(NADS, {
      apiVersion: "k8s.cni.cncf.io/v1",
      kind: "NetworkAttachmentDefinition",
      metadata: { namespace: "ns", name: "odd" },
    });
    await world.add(UDNS, udn("ns", "net", PRIMARY_2));
    expect(await created("net")).toBe(
      "False SyncError: failed to validate no primary network exist: unmarshal failed [ns/odd]: unexpected end of JSON input",
    );
  });
});
