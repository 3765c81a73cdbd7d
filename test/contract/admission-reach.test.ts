// Scope of admission policies: other versions, subresources, restarts, and the warnings of type checking.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { AdmissionApi, GROUP, MERGE, rule } from "../support/admission-api.ts";

let api: AdmissionApi;
beforeAll(async () => {
  api = await AdmissionApi.open();
});
afterAll(() => api?.close());
afterEach(() => api.clear());

test("other versions of a resource are the same resource", async () => {
  const resourceRules = [rule({ apiGroups: ["events.k8s.io"], resources: ["events"] })];
  const validations = [{ expression: "request.kind.group == 'events.k8s.io' && object.note != 'no'" }];
  await api.validating({ matchConstraints: { resourceRules }, validations });
  const event = (message: string) => ({
    metadata: { name: message },
    involvedObject: { namespace: "default" },
    message,
  });
  const events = "/api/v1/namespaces/default/events";
  await api.call("post", events).send(event("yes")).expect(201);
  await api.call("post", events).send(event("no")).expect(422);
  const deletion = rule({ apiGroups: ["events.k8s.io"], resources: ["events"], operations: ["DELETE"] });
  const note = [{ expression: "has(oldObject.note) && oldObject.note != 'yes'" }];
  const spec = { matchConstraints: { resourceRules: [...resourceRules, deletion] } };
  await api
    .patch(`${GROUP}/validatingadmissionpolicies/p`, { spec: { ...spec, validations: note } })
    .expect(200);
  for (const group of ["/api/v1", "/apis/events.k8s.io/v1"])
    await api.call("delete", `${group}/namespaces/default/events/yes`).expect(422);
  await api.patch(`${GROUP}/validatingadmissionpolicies/p`, { spec: { validations } }).expect(200);
  await api
    .patch(`${GROUP}/validatingadmissionpolicies/p`, { spec: { matchConstraints: { matchPolicy: "Exact" } } })
    .expect(200);
  await api.call("post", events).send(event("no")).expect(201);
});

test("what is posted below an object is looked at as what it is", async () => {
  const resourceRules = [rule({ resources: ["pods/binding"] })];
  const validations = [{ expression: "request.kind.kind == 'Binding' && object.target.name != 'full'" }];
  await api.validating({ matchConstraints: { resourceRules }, validations });
  const pods = "/api/v1/namespaces/default/pods";
  const containers = [{ name: "c", image: "i" }];
  await api
    .call("post", pods)
    .send({ metadata: { name: "p" }, spec: { containers } })
    .expect(201);
  const bind = (name: string) =>
    api.call("post", `${pods}/p/binding`).send({ metadata: { name: "p" }, target: { kind: "Node", name } });
  await bind("full").expect(422);
  await bind("free").expect(201);
});

test("a Scale is looked at as such", async () => {
  const resourceRules = [rule({ apiGroups: ["apps"], resources: ["deployments/scale"] })];
  const validations = [
    { expression: "object.kind == 'Scale' && object.spec.replicas < oldObject.spec.replicas + 2" },
  ];
  await api.validating({ matchConstraints: { resourceRules }, validations });
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template };
  await api
    .call("post", deployments)
    .send({ metadata: { name: "d" }, spec })
    .expect(201);
  const scale = (replicas: number) =>
    api.call("patch", `${deployments}/d/scale`).set("content-type", MERGE).send({ spec: { replicas } });
  await scale(2).expect(200);
  await scale(9).expect(422);
  const mutating = { ...resourceRules[0], operations: ["UPDATE"] };
  const expression = "[JSONPatch{op: 'replace', path: '/spec/replicas', value: 3}]";
  await api.mutating({
    matchConstraints: { resourceRules: [mutating] },
    mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }],
  });
  const { body } = await scale(9).expect(200);
  expect(body.spec).toEqual({ replicas: 3 });
});

test("what a policy's expressions get wrong about types is told in its status", async () => {
  const controllers = "validatingadmissionpolicy-status";
  const other = await AdmissionApi.open({ controllers });
  try {
    const spec = {
      matchConstraints: { resourceRules: [rule({ apiGroups: ["apps"], resources: ["deployments"] })] },
      validations: [{ expression: "object.replicas > 1" }],
    };
    await other
      .call("post", `${GROUP}/validatingadmissionpolicies`)
      .send({ metadata: { name: "p" }, spec })
      .expect(201);
    await other.server.controllers.idle();
    const { body } = await other.call("get", `${GROUP}/validatingadmissionpolicies/p`);
    expect(body.metadata.generation).toBe(1);
    expect(body.status).toEqual({
      observedGeneration: 1,
      typeChecking: {
        expressionWarnings: [
          {
            fieldRef: "spec.validations[0].expression",
            warning: expect.stringContaining(
              "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'",
            ),
          },
        ],
      },
    });
  } finally {
    await other.close();
  }
});

test("a server comes up whatever it was told to refuse", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "egret-admission-"));
  const options = { inMemory: false, dataDir };
  const everything = rule({ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] });
  try {
    const first = await AdmissionApi.open(options);
    const matchConstraints = { resourceRules: [everything] };
    await first.validating({ matchConstraints, validations: [{ expression: "false" }] });
    await first.close();
    const second = await AdmissionApi.open(options);
    await second.create("a").expect(422);
    await second.call("delete", `${GROUP}/validatingadmissionpolicies/p`).expect(200);
    await second.create("a").expect(201);
    await second.close();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
