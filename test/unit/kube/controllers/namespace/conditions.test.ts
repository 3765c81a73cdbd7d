import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { internalServerError } from "../../../../../src/apimachinery/meta/status.ts";
import { NAMESPACES } from "../../../../support/api-world.ts";
import {
  conditionsOfA,
  configMap,
  HELD,
  namespaceA,
  openNamespaces,
  release,
  removeA,
  toldOfA,
} from "./support.ts";

const DISCOVERED =
  "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered";
const PARSED =
  "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed";
const DELETED =
  "NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization";
const REMOVED = "NamespaceContentRemaining False ContentRemoved: All content successfully removed";
const FINISHED =
  "NamespaceFinalizersRemaining False ContentHasNoFinalizers: All content-preserving finalizers finished";

describe("the conditions of a namespace under deletion", () => {
  test("recordEvent that all went well when nothing is left but its own finalizers", async () => {
    const world = await openNamespaces();
    await world.change(NAMESPACES, { namespace: "", name: "a" }, HELD);
    await configMap(world, "c");
    await removeA(world);
    await world.settled();
    expect(await toldOfA(world)).toEqual([DISCOVERED, PARSED, DELETED, REMOVED, FINISHED]);
  });

  test("count what is left by resource and by finalizer, in order", async () => {
    const world = await openNamespaces();
    const things = world.serve("Thing", "Namespaced");
    await configMap(world, "one", { finalizers: ["example.com/x", "example.com/b"] });
    await configMap(world, "two", { finalizers: ["example.com/b"] });
    await world.create(things, { name: "t", namespace: "a", finalizers: ["example.com/x"] });
    await removeA(world);
    await world.settled();
    expect(await toldOfA(world)).toEqual([
      DISCOVERED,
      PARSED,
      DELETED,
      "NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: " +
        "configmaps. has 2 resource instances, things.example.com has 1 resource instances",
      "NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has finalizers " +
        "remaining: example.com/b in 2 resource instances, example.com/x in 2 resource instances",
    ]);
  });

  test("follow what goes; the time changes with the status only", async () => {
    const world = await openNamespaces();
    await world.change(NAMESPACES, { namespace: "", name: "a" }, HELD);
    await configMap(world, "one", HELD);
    await configMap(world, "two", HELD);
    await removeA(world);
    await world.settled();
    const [, , , remaining] = await conditionsOfA(world);
    world.clock.advance(5_000);
    await release(world, "one");
    await world.settled();
    const [, , , fewer] = await conditionsOfA(world);
    expect(fewer?.message).toBe("Some resources are remaining: configmaps. has 1 resource instances");
    expect(fewer?.lastTransitionTime).toBe(remaining?.lastTransitionTime);
    await release(world, "two");
    await world.settled();
    const [discovered, , , none] = await conditionsOfA(world);
    expect(none?.status).toBe("False");
    expect(none?.lastTransitionTime).not.toBe(remaining?.lastTransitionTime);
    expect(discovered?.lastTransitionTime).toBe(remaining?.lastTransitionTime);
  });

  test("name what could not be deleted", async () => {
    const world = await openNamespaces();
    await configMap(world, "c");
    world.trouble = ({ verb }) => (verb === "delete" ? internalServerError("no") : undefined);
    await removeA(world);
    await world.settled();
    expect((await toldOfA(world))[2]).toBe(
      "NamespaceDeletionContentFailure True ContentDeletionFailed: " +
        "Failed to delete all resource types, 1 remaining: Internal error occurred: no",
    );
  });

  test("leave those of others alone", async () => {
    const world = await openNamespaces();
    const own = { type: "example.com/Own", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const live = await namespaceA(world);
    const status = { phase: "Active", conditions: [own] };
    await world.client.update(NAMESPACES, { ...(live as KubeObject), status }, "status");
    await configMap(world, "held", HELD);
    await removeA(world);
    await world.settled();
    const conditions = await conditionsOfA(world);
    expect(conditions).toHaveLength(6);
    expect(conditions[0]).toEqual(own);
  });

  test("belong to the controller that writes them", async () => {
    const world = await openNamespaces();
    await configMap(world, "held", HELD);
    await removeA(world);
    await world.settled();
    const entries = (await namespaceA(world))?.metadata.managedFields ?? [];
    expect(entries.map(({ manager, subresource }) => ({ manager, subresource }))).toContainEqual({
      manager: "kube-controller-manager",
      subresource: "status",
    });
  });
});
