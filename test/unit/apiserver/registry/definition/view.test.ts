import { describe, expect, test } from "vitest";
import {
  collectionEnd,
  collectionRange,
  objectKey,
  resourcePrefix,
  singleKeyRange,
} from "../../../../../src/apiserver/registry/definition/view.ts";
import { BUILT_IN_RESOURCES } from "../../../../../src/kube/index.ts";
import { builtInView, customView } from "../support.ts";

const things = customView().definition;

describe("objects lie where etcd has them", () => {
  test.each([
    ["a custom kind below its group", things, "a", "t", "/registry/example.com/things/a/t"],
    [
      "a built-in kind below its name",
      builtInView("configmaps").definition,
      "a",
      "c",
      "/registry/configmaps/a/c",
    ],
    [
      "a cluster-scoped kind without a namespace",
      builtInView("namespaces").definition,
      "",
      "a",
      "/registry/namespaces/a",
    ],
    ["Nodes below a name of their own", builtInView("nodes").definition, "", "n", "/registry/minions/n"],
    ["Services below specs", builtInView("services").definition, "a", "s", "/registry/services/specs/a/s"],
  ])("%s", (_rule, definition, namespace, name, key) => {
    expect(objectKey(definition, namespace, name)).toBe(key);
    expect(key.startsWith(resourcePrefix(definition))).toBe(true);
  });
});

describe("ranges", () => {
  const within = (key: string, { from, to }: { from: string; to: string }) => from <= key && key < to;

  test("of a collection hold its objects and no others", () => {
    const all = collectionRange(things, "");
    expect(within("/registry/example.com/things/a/t", all)).toBe(true);
    expect(within("/registry/example.com/thingsandmore/a/t", all)).toBe(false);
    expect(within("/registry/example.com/thing/a/t", all)).toBe(false);
  });

  test("of a namespace hold its objects and not those of one that begins alike", () => {
    const one = collectionRange(things, "a");
    expect(within("/registry/example.com/things/a/t", one)).toBe(true);
    expect(within("/registry/example.com/things/ab/t", one)).toBe(false);
    expect(within("/registry/example.com/things/a-b/t", one)).toBe(false);
  });

  test("of one key hold that key alone", () => {
    const range = singleKeyRange("/registry/x/a");
    expect(
      ["/registry/x/a", "/registry/x/a\0", "/registry/x/a0", "/registry/x/"].map((key) => within(key, range)),
    ).toEqual([true, false, false, false]);
  });
});

test("where the prefix of its resource ends can be told from any key", () => {
  for (const definition of [...BUILT_IN_RESOURCES, things, builtInView("services").definition]) {
    for (const key of [objectKey(definition, "a.b", "c.d"), objectKey(definition, "", "n")])
      expect(key.slice(0, collectionEnd(key))).toBe(resourcePrefix(definition));
  }
});

test.each(["", "/egret/absent-owners/u", "/registry/", "/registry/pods"])(
  "%j belongs to no resource",
  (key) => {
    expect(collectionEnd(key)).toBe(0);
  },
);
