import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { core, NADS, nadObject, namespaceObject, nodeObject, type World } from "../networks/support.ts";
import { CUDNS, cudn, layer3, PRIMARY, podOn, SECONDARY, startNetworks, UDNS, udn } from "./support.ts";

const NAMESPACES = core("namespaces");
const madeIn = (...namespaces: string[]): string =>
  `True NetworkAttachmentDefinitionCreated: NetworkAttachmentDefinition has been created in following namespaces: [${namespaces.join(", ")}]`;
const created = (name = "c"): Promise<string> => world.condition(CUDNS, "NetworkCreated", name);

const attachments = (): Promise<string[]> => world.keys(NADS);

let world: World;
beforeEach(async () => {
  world = await startNetworks();
  await world.add(NAMESPACES, namespaceObject("b", { team: "a" }));
  await world.add(NAMESPACES, namespaceObject("a", { team: "a" }));
  await world.add(NAMESPACES, namespaceObject("x", { team: "x" }));
});
afterEach(() => world.stop());

describe("the namespaces of a ClusterUserDefinedNetwork", () => {
  test("it makes one NetworkAttachmentDefinition in each; the condition lists them sorted", async () => {
    await world.add(CUDNS, cudn("c", SECONDARY));
    expect(await created()).toBe(madeIn("a", "b"));
    expect(await attachments()).toEqual(["a/c", "b/c"]);
  });

  test("none is no error", async () => {
    await world.add(CUDNS, cudn("c", SECONDARY, { namespaceSelector: { matchLabels: { team: "none" } } }));
    expect(await created()).toBe(madeIn());
    expect(await world.condition(CUDNS, "NetworkAllocationSucceeded", "c")).toBe("none");
  });

  test("those that begin or cease to match are followed, new ones too", async () => {
    await world.add(CUDNS, cudn("c", SECONDARY));
    await world.edit(NAMESPACES, "x", { metadata: { labels: { team: "a" } } });
    expect(await created()).toBe(madeIn("a", "b", "x"));
    await world.edit(NAMESPACES, "a", { metadata: { labels: { team: null } } });
    await world.add(NAMESPACES, namespaceObject("n", { team: "a" }));
    expect(await created()).toBe(madeIn("b", "n", "x"));
    expect(await attachments()).toEqual(["b/c", "n/c", "x/c"]);
  });

  test("and so is a change of the selector", async () => {
    await world.add(CUDNS, cudn("c", SECONDARY));
    await world.edit(CUDNS, "c", { spec: { namespaceSelector: { matchLabels: { team: "x" } } } });
    expect(await created()).toBe(madeIn("x"));
    expect(await attachments()).toEqual(["x/c"]);
  });

  test("those that go away do not count", async () => {
    await world.add(CUDNS, cudn("c", SECONDARY));
    await world.remove(NAMESPACES, "b");
    expect(await created()).toBe(madeIn("a"));
    expect(await attachments()).toEqual(["a/c"]);
  });

  test("a selector that cannot be understood is told of", async () => {
    const namespaceSelector = { matchExpressions: [{ key: "a", operator: "Like", values: ["b"] }] };
    await world.add(CUDNS, cudn("c", SECONDARY, { namespaceSelector }));
    expect(await created()).toMatch(
      /^False NetworkAttachmentDefinitionSyncError: failed to get selected namespaces: failed to create label-selector: /,
    );
  });
});

describe("one namespace that fails", () => {
  test("fails the whole; the others are made, and it heals when the label comes", async () => {
    await world.edit(NAMESPACES, "b", { metadata: { labels: { [PRIMARY]: "" } } });
    await world.add(CUDNS, cudn("c", layer3("Primary", [{ cidr: "10.201.0.0/16" }])));
    expect(await created()).toMatch(
      /^False NetworkAttachmentDefinitionSyncError: invalid primary network state for namespace "a": /,
    );
    expect(await attachments()).toEqual(["b/c"]);
    await world.edit(NAMESPACES, "a", { metadata: { labels: { [PRIMARY]: "" } } });
    expect(await created()).toBe(madeIn("a", "b"));
  });

  test("because of a foreign NetworkAttachmentDefinition; several errors stand on lines of their own", async () => {
    for (const namespace of ["a", "b"]) {
      await world.add(NADS, nadObject(namespace, "c"));
    }
    await world.add(CUDNS, cudn("c", SECONDARY));
    const foreign = "foreign NetworkAttachmentDefinition with the desired name already exist";
    expect(await created()).toBe(
      `False NetworkAttachmentDefinitionSyncError: ${foreign} [a/c]\n${foreign} [b/c]`,
    );
  });

  test("because it has a primary network already", async () => {
    await world.edit(NAMESPACES, "x", { metadata: { labels: { [PRIMARY]: "" } } });
    await world.add(UDNS, udn("x", "net", layer3("Primary", [{ cidr: "10.200.0.0/16" }])));
    const namespaceSelector = { matchLabels: { team: "x" } };
    await world.add(CUDNS, cudn("c", layer3("Primary", [{ cidr: "10.201.0.0/16" }]), { namespaceSelector }));
    expect(await created()).toBe(
      'False NetworkAttachmentDefinitionSyncError: primary network already exist in namespace "x": "net"',
    );
  });
});

describe("deletion", () => {
  test("takes all of them along, also right after creation", async () => {
    const held = cudn("c", SECONDARY);
    held.metadata.finalizers = ["example.com/held"];
    await world.client.create(CUDNS, held);
    await world.remove(CUDNS, "c");
    await world.edit(CUDNS, "c", { metadata: { finalizers: null } });
    expect([await attachments(), await world.find(CUDNS, "c")]).toEqual([[], undefined]);
  });

  test("waits while a pod uses it in any namespace", async () => {
    await world.add(CUDNS, cudn("c", SECONDARY));
    await world.add(core("pods"), podOn("b", "p", "c"));
    await world.remove(CUDNS, "c");
    expect(await created()).toBe(
      "False NetworkAttachmentDefinitionSyncError: failed to delete NetworkAttachmentDefinition [b/c]: " +
        "network in use by the following pods: [b/p]",
    );
    expect(await attachments()).toEqual(["b/c"]);
    await world.remove(core("pods"), "p", "b");
    expect(await world.find(CUDNS, "c")).toBeUndefined();
  });

  test("a namespace that leaves with pods in it is told of as well", async () => {
    await world.add(CUDNS, cudn("c", SECONDARY));
    await world.add(core("pods"), podOn("b", "p", "c"));
    await world.edit(NAMESPACES, "b", { metadata: { labels: { team: null } } });
    expect(await created()).toMatch(/failed to delete NetworkAttachmentDefinition \[b\/c\]/);
    await world.remove(core("pods"), "p", "b");
    expect(await created()).toBe(madeIn("a"));
  });
});

describe("the networks behind them", () => {
  test("one network has one number in all its namespaces, and keeps it through a restart", async () => {
    await world.add(CUDNS, cudn("c", SECONDARY));
    await world.add(CUDNS, cudn("d", SECONDARY));
    await world.remove(CUDNS, "c");
    await world.restart();
    await world.add(CUDNS, cudn("e", SECONDARY));
    const { items } = await world.client.list(NADS);
    expect(
      items.map(({ metadata }) => `${metadata.name} ${metadata.annotations?.["k8s.ovn.org/network-id"]}`),
    ).toEqual(["d 2", "e 1", "d 2", "e 1"]);
  });

  test("the first node that gets no part of a Layer3 network is told of, until there is room", async () => {
    for (const name of ["n3", "n1", "n2"]) await world.add(core("nodes"), nodeObject(name));
    await world.add(CUDNS, cudn("c", layer3("Secondary", [{ cidr: "10.201.0.0/24", hostSubnet: 25 }])));
    expect(await world.condition(CUDNS, "NetworkAllocationSucceeded", "c")).toBe(
      "False InternalError: Network allocation failed for at least one node: n3, check UDN events for more info.",
    );
    expect(await world.events()).toEqual([
      "ClusterUserDefinedNetwork c NetworkAllocationFailed: Error occurred for node n3: " +
        "error allocating network for node n3: no subnets available.",
    ]);
    await world.remove(core("nodes"), "n1");
    expect(await world.condition(CUDNS, "NetworkAllocationSucceeded", "c")).toMatch(/^True /);
  });
});
