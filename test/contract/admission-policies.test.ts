// Validating admission policies as clients see them, over a real socket.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/apimachinery/json/json.ts";
import { AdmissionApi, denied, GROUP, MAPS, rule } from "../support/admission-api.ts";

let api: AdmissionApi;
beforeAll(async () => {
  api = await AdmissionApi.open();
});
afterAll(() => api?.close());
afterEach(() => api.clear());

describe("a validating policy", () => {
  test("refuses from the moment it is bound, in the form of a real server", async () => {
    await api.validating({ validations: [{ expression: "object.data.size() < 2", message: "too many" }] });
    const { status, body } = await api.create("a", { data: { a: "1", b: "2" } });
    const message = denied("too many");
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: `configmaps "a" is forbidden: ${message}`,
        reason: "Invalid",
        details: { name: "a", kind: "configmaps", causes: [{ message }] },
        code: 422,
      },
    });
    await api.create("a", { data: { a: "1" } }).expect(201);
    const change = { data: { b: "2" } };
    await api.patch(`${MAPS}/a`, change).expect(422);
    await api.call("delete", `${GROUP}/validatingadmissionpolicybindings/b`).expect(200);
    await api.patch(`${MAPS}/a`, change).expect(200);
  });

  test.each<[what: string, validation: JsonObject, code: number, why: string]>([
    ["by an expression", { messageExpression: "'not ' + object.metadata.name", message: "no" }, 422, "not a"],
    ["by its text, if that expression fails", { messageExpression: "object.x", message: "no" }, 422, "no"],
    ["by the rule itself", {}, 422, "failed expression: object.metadata.name != 'a'"],
    ["under a reason", { reason: "Forbidden", message: "no" }, 403, "no"],
    ["as too large", { reason: "RequestEntityTooLarge", message: "no" }, 413, "no"],
  ])("words its refusal %s", async (_what, validation, code, why) => {
    const typed =
      "messageExpression" in validation
        ? { messageExpression: `string(${validation["messageExpression"]})` }
        : {};
    const expression = "object.metadata.name != 'a'";
    await api.validating({ validations: [{ expression, ...validation, ...typed }] });
    const { body } = await api.create("a").expect(code);
    expect(body.message).toBe(`configmaps "a" is forbidden: ${denied(why)}`);
  });

  test.each<[what: string, expression: string]>([
    ["the request", "request.operation == 'CREATE' && request.resource.resource == 'configmaps'"],
    ["who asks", "'system:masters' in request.userInfo.groups && !request.dryRun"],
    ["the namespace", "namespaceObject.metadata.name == 'default'"],
    ["the old object, which is not there", "oldObject == null"],
    ["rights", "authorizer.requestResource.check('create').allowed()"],
    [
      "rights of others",
      "authorizer.serviceAccount('default', 'x').group('').resource('pods').check('get').allowed()",
    ],
    ["names that are words of the language", "object.metadata.namespace == 'default'"],
    ["what may be missing", "!has(object.data) && object.?data.?x.orValue('none') == 'none'"],
    ["numbers in texts", "int('3') + size(object.metadata.name) == 4"],
  ])("sees %s", async (_what, expression) => {
    await api.validating({ validations: [{ expression }] });
    await api.create("a").expect(201);
  });

  test("counts an error as a refusal, unless errors are ignored", async () => {
    await api.validating({ validations: [{ expression: "object.data.x == 'y'" }] });
    const { body } = await api.create("a").expect(422);
    expect(body.message).toContain(
      denied("expression 'object.data.x == 'y'' resulted in error: no such key: data"),
    );
    await api
      .patch(`${GROUP}/validatingadmissionpolicies/p`, { spec: { failurePolicy: "Ignore" } })
      .expect(200);
    await api.create("a").expect(201);
  });

  test("can warn instead", async () => {
    await api.validating(
      { validations: [{ expression: "false", message: "mind" }] },
      { validationActions: ["Warn", "Audit"] },
    );
    const text = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': mind";
    await api.create("a").expect(201).expect("warning", `299 - "${text}"`);
  });

  test("looks only at requests that meet its conditions", async () => {
    const matchConditions = [
      { name: "errs", expression: "object.data.x == 'y'" },
      { name: "named", expression: "object.metadata.name == 'a'" },
    ];
    await api.validating({ matchConditions, validations: [{ expression: "false" }] });
    const { body } = await api.create("a").expect(422);
    expect(body.message).toContain("expression 'object.data.x == 'y'' resulted in error");
    await api.create("b").expect(201); // a false validation takes precedence over the error
  });

  test("is about names, labels and everything that is not left out", async () => {
    const resourceRules = [rule({ resourceNames: ["a", "b"] })];
    const excludeResourceRules = [rule({ resourceNames: ["b"] })];
    await api.validating(
      { matchConstraints: { resourceRules, excludeResourceRules }, validations: [{ expression: "false" }] },
      { matchResources: { objectSelector: { matchLabels: { strict: "yes" } } } },
    );
    const labelled = (name: string) =>
      api.call("post", MAPS).send({ metadata: { name, labels: { strict: "yes" } } });
    await labelled("a").expect(422);
    await labelled("b").expect(201);
    await labelled("c").expect(201);
    await api.create("a").expect(201);
  });

  test("is about deletions, and about the namespaces themselves", async () => {
    const resourceRules = [
      rule({ operations: ["DELETE"] }),
      rule({ resources: ["namespaces"], scope: "Cluster" }),
    ];
    const validations = [
      { expression: "request.operation == 'DELETE' && oldObject.metadata.name != 'kept'" },
    ];
    await api.validating({ matchConstraints: { resourceRules }, validations });
    await api.create("kept").expect(201);
    await api.call("delete", `${MAPS}/kept`).expect(422);
    await api
      .call("post", "/api/v1/namespaces")
      .send({ metadata: { name: "n" } })
      .expect(422);
    await api.call("delete", `${GROUP}/validatingadmissionpolicies/p`).expect(200);
  });
});

describe("parameters", () => {
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  const validations = [{ expression: "params.data.allowed == object.metadata.name", message: "not allowed" }];
  const matchConstraints = { resourceRules: [rule({ resources: ["secrets"] })] };
  const secret = (name: string) =>
    api.call("post", "/api/v1/namespaces/default/secrets?dryRun=All").send({ metadata: { name } });

  test("are read by name", async () => {
    const paramRef = { name: "limits", parameterNotFoundAction: "Deny" };
    await api.validating({ paramKind, matchConstraints, validations }, { paramRef });
    const { body } = await secret("a").expect(422);
    const why =
      "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    expect(body.message).toContain(denied(why));
    await api.create("limits", { data: { allowed: "a" } }).expect(201);
    await secret("a").expect(201);
    await secret("b").expect(422);
  });

  test("are read by labels, and each of them has its say", async () => {
    const paramRef = { selector: { matchLabels: { limits: "yes" } }, parameterNotFoundAction: "Allow" };
    await api.validating({ paramKind, matchConstraints, validations }, { paramRef });
    await secret("a").expect(201);
    const metadata = (name: string) => ({ name, labels: { limits: "yes" } });
    await api
      .call("post", MAPS)
      .send({ metadata: metadata("one"), data: { allowed: "a" } })
      .expect(201);
    await secret("a").expect(201);
    await api
      .call("post", MAPS)
      .send({ metadata: metadata("two"), data: { allowed: "b" } })
      .expect(201);
    await secret("a").expect(422);
  });

  test("of a kind that is not served are a mistake of the policy", async () => {
    const unknown = { apiVersion: "example.com/v1", kind: "Limit" };
    const paramRef = { name: "limits", parameterNotFoundAction: "Deny" };
    await api.validating({ paramKind: unknown, matchConstraints, validations }, { paramRef });
    const { body } = await secret("a").expect(422);
    const why = "failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'";
    expect(body.message).toContain(
      `ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: ${why}`,
    );
  });
});
