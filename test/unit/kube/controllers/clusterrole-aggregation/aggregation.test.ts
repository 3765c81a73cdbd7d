import { beforeEach, expect, test } from "vitest";
import { controllerDescriptors } from "../../../../../src/server/controller-list.ts";
import { ApiWorld } from "../../../../support/api-world.ts";

const ROLES = { group: "rbac.authorization.k8s.io", version: "v1", resource: "clusterroles" };
const named = (name: string) => ({ namespace: "", name });
const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
const gathers = (label: string) => ({
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] },
});

let world: ApiWorld;
beforeEach(async () => {
  const wanted = controllerDescriptors.filter(({ name }) => name === "clusterrole-aggregation");
  world = await ApiWorld.open(wanted);
});

const rulesOf = async (name: string) => {
  await world.settled();
  return (await world.get(ROLES, named(name)))?.["rules"];
};
const part = (name: string, resource: string, labels: Record<string, string>) =>
  world.create(ROLES, { name, labels }, { rules: [rule(resource)] });

test("a role that gathers gets the rules of those it selects, by their names, each once", async () => {
  await part("b", "pods", { "to-all": "true" });
  await world.create(ROLES, { name: "all" }, { rules: [rule("stale")], ...gathers("to-all") });
  expect(await rulesOf("all")).toEqual([rule("pods")]);
  await part("a", "nodes", { "to-all": "true" });
  await part("c", "pods", { "to-all": "true" });
  await part("d", "secrets", { other: "true" });
  expect(await rulesOf("all")).toEqual([rule("nodes"), rule("pods")]);
});

test("what it gathered goes on to those that gather it, and goes again", async () => {
  await world.create(ROLES, { name: "all" }, gathers("to-all"));
  await world.create(ROLES, { name: "some", labels: { "to-all": "true" } }, gathers("to-some"));
  await part("a", "pods", { "to-some": "true" });
  expect(await rulesOf("all")).toEqual([rule("pods")]);
  await world.client.delete(ROLES, named("a"));
  expect((await rulesOf("all")) ?? []).toEqual([]);
});

test("roles that gather each other, or themselves, come to an end", async () => {
  await world.create(ROLES, { name: "x", labels: { ring: "true" } }, gathers("ring"));
  await world.create(ROLES, { name: "y", labels: { ring: "true" } }, gathers("ring"));
  await part("z", "pods", { ring: "true" });
  expect(await rulesOf("x")).toEqual([rule("pods")]);
  expect(await rulesOf("y")).toEqual([rule("pods")]);
});

test("other roles are left alone, and nothing is written that is written already", async () => {
  await part("a", "pods", { "to-all": "true" });
  await world.create(ROLES, { name: "all" }, gathers("to-all"));
  await world.settled();
  const writes = world.calls.length;
  await world.change(ROLES, named("a"), { annotations: { x: "y" } });
  await world.settled();
  expect(world.calls).toHaveLength(writes);
  expect(world.calls.map(({ name }) => name)).toEqual(["all"]);
  const entries = (await world.get(ROLES, named("all")))?.metadata.managedFields ?? [];
  expect(entries.map(({ manager, operation }) => `${manager} ${operation}`)).toContain(
    "clusterrole-aggregation-controller Apply",
  );
});
