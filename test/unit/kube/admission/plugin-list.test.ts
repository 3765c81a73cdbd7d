import { expect, test } from "vitest";
import { alwaysAllow } from "../../../../src/apiserver/authorization/access-check.ts";
import {
  complaintsOfChoice,
  createPlugins,
  PLUGIN_NAMES,
  STANDING_PLUGINS,
} from "../../../../src/kube/admission/plugin-list.ts";
import { createMemoryEngine } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { ManualClock } from "../../storage/manual-clock.ts";

const namesOf = async (enable: readonly string[], disable: readonly string[]): Promise<string[]> => {
  const store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
  const plugins = createPlugins({ store, authorizer: alwaysAllow }, { enable, disable });
  await store[Symbol.asyncDispose]();
  return plugins.map(({ name }) => name);
};

test("plugins are made under their names, in the order of the list", async () => {
  const standing = await namesOf([], []);
  expect(PLUGIN_NAMES.filter((name) => standing.includes(name))).toEqual(standing);
  expect(
    STANDING_PLUGINS.filter((name) => !name.startsWith("Mutating") && !name.startsWith("Validating")),
  ).toEqual(standing);
  expect(standing).toContain("NamespaceLifecycle");
});

test("some can be asked for, and all can be switched off", async () => {
  expect(await namesOf(["EgressIPMark"], [])).toEqual(expect.arrayContaining(["EgressIPMark", "Priority"]));
  expect(await namesOf(["AlwaysDeny", "NamespaceExists"], STANDING_PLUGINS)).toEqual([
    "NamespaceExists",
    "AlwaysDeny",
  ]);
  expect(await namesOf([], ["Priority"])).not.toContain("Priority");
  expect(await namesOf([], PLUGIN_NAMES)).toEqual([]);
});

test.each<[string, string[], string[], string[]]>([
  ["names of plugins", ["Priority", "EgressIPMark"], ["AlwaysPullImages"], []],
  ["a name that is none", ["NoSuch"], [], ['enable-admission-plugins plugin "NoSuch" is unknown']],
  ["the same to be switched off", [], ["NoSuch"], ['disable-admission-plugins plugin "NoSuch" is unknown']],
  [
    "both at once",
    ["Priority", "EgressIPMark"],
    ["Priority", "EgressIPMark"],
    ["[EgressIPMark Priority] in enable-admission-plugins and disable-admission-plugins overlapped"],
  ],
  [
    "what is not played",
    ["ImagePolicyWebhook"],
    [],
    ['enable-admission-plugins plugin "ImagePolicyWebhook" is not played here'],
  ],
])("%s", (_what, enable, disable, complaints) => {
  expect(complaintsOfChoice({ enable, disable })).toEqual(complaints);
});
