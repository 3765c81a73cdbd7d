import { expect, it } from "vitest";
import { systemClock } from "../../../../src/apimachinery/meta/clock.ts";
import { createIds } from "../../../../src/apimachinery/meta/ids.ts";
import { followPolicy } from "../../../../src/apiserver/authorization/rbac/policy.ts";
import { createRbacAuthorizer } from "../../../../src/apiserver/authorization/rbac/rbac-authorizer.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { ResourceStore } from "../../../../src/apiserver/registry/resource-store.ts";
import { createInProcessClients } from "../../../../src/controller/in-process-client.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import { createMemoryEngine } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { ask, binding, role, rule, user } from "./support.ts";

const RBAC = "rbac.authorization.k8s.io";
const named = (resource: string) => ({ group: RBAC, version: "v1", resource });
const typed = (kind: string, object: ReturnType<typeof role>) => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  ...object,
});
const POD_READER = typed("ClusterRole", role("reader", [rule("core", "pods", "get")]));
const FOR_BOB = typed("ClusterRoleBinding", binding("b", "ClusterRole:reader", "User:bob"));

async function openWorld() {
  const store = await openMvccStore(createMemoryEngine(), { clock: systemClock });
  const registry = new ResourceRegistry();
  registry.set(...BUILT_IN_RESOURCES);
  const resources = new ResourceStore({ store, resources: registry, admission: [] });
  const around = { clock: systemClock, ids: createIds(), onWarning: () => {} };
  return { store, registry, client: createInProcessClients({ resources, ...around })("test") };
}

it("a policy holds what the store holds, at once and after each write", async () => {
  const { store, registry, client } = await openWorld();
  await client.create(named("clusterroles"), POD_READER);
  const errors: unknown[] = [];
  const { policy, stop } = followPolicy({ store, resources: registry }, (error) => errors.push(error));
  const { authorize } = createRbacAuthorizer(policy);
  const mayGet = () => authorize(ask(user("bob"), "get core pods")).allowed;

  expect(mayGet()).toBe(false);
  const made = await client.create(named("clusterrolebindings"), FOR_BOB);
  expect(mayGet()).toBe(true);
  await client.delete(named("clusterroles"), { namespace: "", name: "reader" });
  expect(mayGet()).toBe(false);
  await client.create(named("clusterroles"), POD_READER);
  expect(mayGet()).toBe(true);
  await client.update(named("clusterrolebindings"), { ...made, subjects: [] });
  expect(mayGet()).toBe(false);

  stop();
  await client.update(named("clusterrolebindings"), {
    ...(await client.get(named("clusterrolebindings"), { namespace: "", name: "b" })),
    subjects: [{ kind: "User", name: "bob" }],
  });
  expect(mayGet()).toBe(false);
  expect(errors).toEqual([]);
  await store[Symbol.asyncDispose]();
});

it("a policy ends with its store", async () => {
  const { store, registry } = await openWorld();
  const errors: unknown[] = [];
  followPolicy({ store, resources: registry }, (error) => errors.push(error));
  await store[Symbol.asyncDispose]();
  expect(errors).toEqual([]);
});

it("a policy needs the kinds", async () => {
  const { store } = await openWorld();
  const follow = () => followPolicy({ store, resources: new ResourceRegistry() }, () => {});
  expect(follow).toThrow("clusterroles.rbac.authorization.k8s.io are not served here");
  await store[Symbol.asyncDispose]();
});
