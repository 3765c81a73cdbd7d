// Mutating admission policies as clients see them, over a real socket.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/apimachinery/json/json.ts";
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
    [
      "bytes where a text is wanted",
      apply("Object{binaryData: {'x': b'abc'}}"),
      "error applying patch: failed to convert patch object to typed object: .binaryData.x: expected string, got &value.valueUnstructured{Value:[]uint8{0x61, 0x62, 0x63}}",
    ],
    [
      "a duration where a text is wanted",
      apply("Object{data: {'x': duration('5s')}}"),
      ".data.x: expected string, got &value.valueUnstructured{Value:5000000000}",
    ],
    [
      "a time where a text is wanted",
      apply("Object{data: {'x': timestamp('2026-11-30T06:07:08.5Z')}}"),
      ".data.x: expected string, got &value.valueUnstructured{Value:time.Date(2026, time.November, 30, 6, 7, 8, 500000000, time.UTC)}",
    ],
    [
      "what is not there",
      patch("[JSONPatch{op: 'remove', path: '/nope'}]"),
      "JSON Patch: error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value",
    ],
    [
      "an unknown operation",
      patch("[JSONPatch{op: 'frob', path: '/data'}]"),
      "JSON Patch: Unexpected kind: frob",
    ],
    [
      "an object of another version",
      patch(
        "[JSONPatch{op: 'replace', path: '/apiVersion', value: 'apps/v1'}, JSONPatch{op: 'replace', path: '/kind', value: 'Deployment'}]",
      ),
      'v1.Deployment is not suitable for converting to "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
  ])("cannot make %s", async (_what, mutation, why) => {
    await api.mutating({ mutations: [mutation] });
    const { status, body } = await api.create("a");
    expect({ status, reason: body.reason }).toEqual({ status: 403, reason: "Invalid" });
    expect(body.message).toContain("policy 'm' with binding 'b' denied request: ");
    expect(body.message).toContain(why);
  });

  test.each<[what: string, patched: string, why: string]>([
    [
      "an unknown field",
      "path: '/futureField', value: 'x'",
      'strict decoding error: unknown field "futureField"',
    ],
    ["another kind", "path: '/kind', value: 'Secret'", "illegal base64 data at input byte 3"],
    [
      "another kind that it can be read as",
      "path: '/kind', value: 'LimitRange'",
      'strict decoding error: unknown field "data"',
    ],
    [
      "an unknown version",
      "path: '/apiVersion', value: 'v2'",
      'no kind "ConfigMap" is registered for version "v2" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    ["a kind that is no text", "path: '/kind', value: 5", "couldn't get version/kind; json parse error: "],
  ])("must not make %s, whatever its failure policy", async (_what, operation, why) => {
    const mutations = [patch(`[JSONPatch{op: 'add', ${operation}}]`)];
    await api.mutating({ failurePolicy: "Ignore", mutations });
    const { body } = await api.create("a", { data: { z: "v", ip: "192.0.2.1" } }).expect(500);
    expect([body.reason, body.message]).toEqual(["InternalError", expect.stringContaining(why)]);
  });

  test("must not make a Secret of a ConfigMap", async () => {
    await api.mutating({ mutations: [patch("[JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}]")] });
    const { body } = await api.create("a").expect(500);
    expect(body.message).toBe(
      "Internal error occurred: failed to convert object: converting (v1.Secret) to (core.ConfigMap): unknown conversion",
    );
  });

  test("is applied again after itself, if it asks for that", async () => {
    const mutations = [apply("Object{data: {'n': object.?data.n.orValue('') + 'i'}}")];
    await api.mutating({ reinvocationPolicy: "IfNeeded", mutations });
    expect((await api.create("a").expect(201)).body.data).toEqual({ n: "ii" });
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
