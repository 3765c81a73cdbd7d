// Mutating admission policies as clients see them, over a real socket.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/meta/json.ts";
import { AdmissionApi, denied, GROUP, rule } from "../support/admission-api.ts";

let api: AdmissionApi;
beforeAll(async () => {
  api = await AdmissionApi.open();
});
afterAll(() => api?.close());
afterEach(() => api.clear());

const apply = (expression: string) => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patch = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });

describe("a mutating policy", () => {
  test("lays an object over and patches, one after the other", async () => {
    await api.mutating({
      variables: [{ name: "who", expression: "request.userInfo.username" }],
      mutations: [
        apply(
          "Object{metadata: Object.metadata{annotations: {'by': variables.who}}, data: {'added': 'yes'}}",
        ),
        patch("[JSONPatch{op: 'copy', from: '/data/added', path: '/data/' + jsonpatch.escapeKey('again')}]"),
      ],
    });
    const { body } = await api.create("a", { data: { x: "1" } }).expect(201);
    expect(body).toMatchObject({
      metadata: { annotations: { by: "system:admin" } },
      data: { x: "1", added: "yes", again: "yes" },
    });
  });

  test("does nothing when its test fails", async () => {
    const operations =
      "[JSONPatch{op: 'test', path: '/data/x', value: '2'}, JSONPatch{op: 'remove', path: '/data/x'}]";
    await api.mutating({ mutations: [patch(operations)] });
    const { body } = await api.create("a", { data: { x: "1" } }).expect(201);
    expect(body.data).toEqual({ x: "1" });
  });

  test.each<[what: string, mutation: JsonObject, why: string]>([
    [
      "a misplaced object",
      apply("Object{metadata: Object.spec{name: 'a'}}"),
      'type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
    ],
    [
      "a part that would replace the whole",
      apply("Object{metadata: Object.metadata{ownerReferences: [], finalizers: ['a/b']}, immutable: 'no'}"),
      "error applying patch: failed to convert patch object to typed object: ",
    ],
    ["an error", apply("Object{data: {'x': object.data.y}}"), "resulted in error: no such key: data"],
  ])("cannot make %s", async (_what, mutation, why) => {
    await api.mutating({ mutations: [mutation] });
    const { status, body } = await api.create("a");
    expect({ status, reason: body.reason }).toEqual({ status: 403, reason: "Invalid" });
    expect(body.message).toContain("policy 'm' with binding 'b' denied request: ");
    expect(body.message).toContain(why);
  });

  test("must not replace what is atomic", async () => {
    const matchConstraints = { resourceRules: [rule({ resources: ["services"] })] };
    const mutations = [apply("Object{spec: Object.spec{loadBalancerSourceRanges: ['10.0.0.0/8']}}")];
    await api.mutating({ matchConstraints, mutations });
    const service = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } };
    const { body } = await api.call("post", "/api/v1/namespaces/default/services").send(service).expect(403);
    expect(body.message).toContain(
      "may not mutate atomic arrays, maps or structs: .spec.loadBalancerSourceRanges",
    );
  });

  test("comes before validation and before validating policies", async () => {
    await api.mutating({ mutations: [apply("Object{data: {'bad key': 'x'}}")] });
    await api.create("a").expect(422);
    await api.validating({ validations: [{ expression: "!has(object.data)", message: "seen" }] });
    await api
      .patch(`${GROUP}/mutatingadmissionpolicies/m`, {
        spec: { mutations: [apply("Object{data: {'good': 'x'}}")] },
      })
      .expect(200);
    const { body } = await api.create("a").expect(422);
    expect(body.message).toContain(denied("seen"));
  });
});
