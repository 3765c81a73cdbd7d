// Admission policies as clients see them, over a real socket.
import request from "supertest";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/meta/json.ts";
import { createServer, type Server } from "../../src/server.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = "application/merge-patch+json";
const KINDS = [
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
];

let server: Server;
beforeAll(async () => {
  server = await createServer({ listen: "127.0.0.1:0", inMemory: true, kubeconfig: "", controllers: "" });
});
afterAll(() => server?.close());
afterEach(async () => {
  for (const kind of KINDS) await call("delete", `${GROUP}/${kind}`).expect(200);
  await call("delete", MAPS);
});

const call = (method: "get" | "post" | "put" | "patch" | "delete", path: string) =>
  request(server.url)[method](path);
const create = (name: string, more: JsonObject = {}) =>
  call("post", MAPS).send({ metadata: { name }, ...more });

const rule = (change: JsonObject = {}) => ({
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["CREATE", "UPDATE"],
  resources: ["configmaps"],
  ...change,
});

/** Puts a validating policy in force: parts of its spec, and of its binding's. */
async function validating(spec: JsonObject, binding: JsonObject = {}): Promise<void> {
  const matchConstraints = { resourceRules: [rule()] };
  await call("post", `${GROUP}/validatingadmissionpolicies`)
    .send({ metadata: { name: "p" }, spec: { matchConstraints, ...spec } })
    .expect(201);
  await call("post", `${GROUP}/validatingadmissionpolicybindings`)
    .send({ metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"], ...binding } })
    .expect(201);
}

async function mutating(spec: JsonObject, binding: JsonObject = {}): Promise<void> {
  const matchConstraints = { resourceRules: [rule({ operations: ["CREATE"] })] };
  await call("post", `${GROUP}/mutatingadmissionpolicies`)
    .send({ metadata: { name: "m" }, spec: { matchConstraints, reinvocationPolicy: "Never", ...spec } })
    .expect(201);
  await call("post", `${GROUP}/mutatingadmissionpolicybindings`)
    .send({ metadata: { name: "b" }, spec: { policyName: "m", ...binding } })
    .expect(201);
}

const apply = (expression: string) => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patch = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });

const denied = (why: string) => `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${why}`;

describe("a validating policy", () => {
  test("refuses from the moment it is bound, in the form of a real server", async () => {
    await validating({ validations: [{ expression: "object.data.size() < 2", message: "too many" }] });
    const { status, body } = await create("a", { data: { a: "1", b: "2" } });
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
    await create("a", { data: { a: "1" } }).expect(201);
    const change = { data: { b: "2" } };
    await call("patch", `${MAPS}/a`).set("content-type", MERGE).send(change).expect(422);
    await call("delete", `${GROUP}/validatingadmissionpolicybindings/b`).expect(200);
    await call("patch", `${MAPS}/a`).set("content-type", MERGE).send(change).expect(200);
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
    await validating({ validations: [{ expression, ...validation, ...typed }] });
    const { body } = await create("a").expect(code);
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
    await validating({ validations: [{ expression }] });
    await create("a").expect(201);
  });

  test("counts an error as a refusal, unless errors are ignored", async () => {
    await validating({ validations: [{ expression: "object.data.x == 'y'" }] });
    const { body } = await create("a").expect(422);
    expect(body.message).toContain(
      denied("expression 'object.data.x == 'y'' resulted in error: no such key: data"),
    );
    await call("patch", `${GROUP}/validatingadmissionpolicies/p`)
      .set("content-type", MERGE)
      .send({ spec: { failurePolicy: "Ignore" } })
      .expect(200);
    await create("a").expect(201);
  });

  test("can warn instead", async () => {
    await validating(
      { validations: [{ expression: "false", message: "mind" }] },
      { validationActions: ["Warn", "Audit"] },
    );
    const text = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': mind";
    await create("a").expect(201).expect("warning", `299 - "${text}"`);
  });

  test("looks only at requests that meet its conditions", async () => {
    const matchConditions = [
      { name: "errs", expression: "object.data.x == 'y'" },
      { name: "named", expression: "object.metadata.name == 'a'" },
    ];
    await validating({ matchConditions, validations: [{ expression: "false" }] });
    const { body } = await create("a").expect(422);
    expect(body.message).toContain("expression 'object.data.x == 'y'' resulted in error");
    await create("b").expect(201); // one that is false outweighs the error
  });

  test("is about names, labels and everything that is not left out", async () => {
    const resourceRules = [rule({ resourceNames: ["a", "b"] })];
    const excludeResourceRules = [rule({ resourceNames: ["b"] })];
    await validating(
      { matchConstraints: { resourceRules, excludeResourceRules }, validations: [{ expression: "false" }] },
      { matchResources: { objectSelector: { matchLabels: { strict: "yes" } } } },
    );
    const labelled = (name: string) =>
      call("post", MAPS).send({ metadata: { name, labels: { strict: "yes" } } });
    await labelled("a").expect(422);
    await labelled("b").expect(201);
    await labelled("c").expect(201);
    await create("a").expect(201);
  });

  test("is about deletions, and about the namespaces themselves", async () => {
    const resourceRules = [
      rule({ operations: ["DELETE"] }),
      rule({ resources: ["namespaces"], scope: "Cluster" }),
    ];
    const validations = [
      { expression: "request.operation == 'DELETE' && oldObject.metadata.name != 'kept'" },
    ];
    await validating({ matchConstraints: { resourceRules }, validations });
    await create("kept").expect(201);
    await call("delete", `${MAPS}/kept`).expect(422);
    await call("post", "/api/v1/namespaces")
      .send({ metadata: { name: "n" } })
      .expect(422);
    await call("delete", `${GROUP}/validatingadmissionpolicies/p`).expect(200);
  });
});

describe("parameters", () => {
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  const validations = [{ expression: "params.data.allowed == object.metadata.name", message: "not allowed" }];
  const matchConstraints = { resourceRules: [rule({ resources: ["secrets"] })] };
  const secret = (name: string) =>
    call("post", "/api/v1/namespaces/default/secrets?dryRun=All").send({ metadata: { name } });

  test("are read by name", async () => {
    const paramRef = { name: "limits", parameterNotFoundAction: "Deny" };
    await validating({ paramKind, matchConstraints, validations }, { paramRef });
    const { body } = await secret("a").expect(422);
    const why =
      "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    expect(body.message).toContain(denied(why));
    await create("limits", { data: { allowed: "a" } }).expect(201);
    await secret("a").expect(201);
    await secret("b").expect(422);
  });

  test("are read by labels, and each of them has its say", async () => {
    const paramRef = { selector: { matchLabels: { limits: "yes" } }, parameterNotFoundAction: "Allow" };
    await validating({ paramKind, matchConstraints, validations }, { paramRef });
    await secret("a").expect(201);
    const metadata = (name: string) => ({ name, labels: { limits: "yes" } });
    await call("post", MAPS)
      .send({ metadata: metadata("one"), data: { allowed: "a" } })
      .expect(201);
    await secret("a").expect(201);
    await call("post", MAPS)
      .send({ metadata: metadata("two"), data: { allowed: "b" } })
      .expect(201);
    await secret("a").expect(422);
  });

  test("of a kind that is not served are a mistake of the policy", async () => {
    const unknown = { apiVersion: "example.com/v1", kind: "Limit" };
    const paramRef = { name: "limits", parameterNotFoundAction: "Deny" };
    await validating({ paramKind: unknown, matchConstraints, validations }, { paramRef });
    const { body } = await secret("a").expect(422);
    const why = "failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'";
    expect(body.message).toContain(
      `ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: ${why}`,
    );
  });
});

describe("a mutating policy", () => {
  test("lays an object over and patches, one after the other", async () => {
    await mutating({
      variables: [{ name: "who", expression: "request.userInfo.username" }],
      mutations: [
        apply(
          "Object{metadata: Object.metadata{annotations: {'by': variables.who}}, data: {'added': 'yes'}}",
        ),
        patch("[JSONPatch{op: 'copy', from: '/data/added', path: '/data/' + jsonpatch.escapeKey('again')}]"),
      ],
    });
    const { body } = await create("a", { data: { x: "1" } }).expect(201);
    expect(body).toMatchObject({
      metadata: { annotations: { by: "system:admin" } },
      data: { x: "1", added: "yes", again: "yes" },
    });
  });

  test("does nothing when its test fails", async () => {
    const operations =
      "[JSONPatch{op: 'test', path: '/data/x', value: '2'}, JSONPatch{op: 'remove', path: '/data/x'}]";
    await mutating({ mutations: [patch(operations)] });
    const { body } = await create("a", { data: { x: "1" } }).expect(201);
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
    await mutating({ mutations: [mutation] });
    const { status, body } = await create("a");
    expect({ status, reason: body.reason }).toEqual({ status: 403, reason: "Invalid" });
    expect(body.message).toContain("policy 'm' with binding 'b' denied request: ");
    expect(body.message).toContain(why);
  });

  test("must not replace what is atomic", async () => {
    const matchConstraints = { resourceRules: [rule({ resources: ["services"] })] };
    const mutations = [apply("Object{spec: Object.spec{loadBalancerSourceRanges: ['10.0.0.0/8']}}")];
    await mutating({ matchConstraints, mutations });
    const service = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } };
    const { body } = await call("post", "/api/v1/namespaces/default/services").send(service).expect(403);
    expect(body.message).toContain(
      "may not mutate atomic arrays, maps or structs: .spec.loadBalancerSourceRanges",
    );
  });

  test("comes before validation and before validating policies", async () => {
    await mutating({ mutations: [apply("Object{data: {'bad key': 'x'}}")] });
    await create("a").expect(422);
    await validating({ validations: [{ expression: "!has(object.data)", message: "seen" }] });
    await call("patch", `${GROUP}/mutatingadmissionpolicies/m`)
      .set("content-type", MERGE)
      .send({ spec: { mutations: [apply("Object{data: {'good': 'x'}}")] } })
      .expect(200);
    const { body } = await create("a").expect(422);
    expect(body.message).toContain(denied("seen"));
  });
});

test("other versions of a resource are the same resource", async () => {
  const resourceRules = [rule({ apiGroups: ["events.k8s.io"], resources: ["events"] })];
  const validations = [{ expression: "request.kind.group == 'events.k8s.io' && object.note != 'no'" }];
  await validating({ matchConstraints: { resourceRules }, validations });
  const event = (message: string) => ({
    metadata: { name: message },
    involvedObject: { namespace: "default" },
    message,
  });
  const events = "/api/v1/namespaces/default/events";
  await call("post", events).send(event("yes")).expect(201);
  await call("post", events).send(event("no")).expect(422);
  await call("patch", `${GROUP}/validatingadmissionpolicies/p`)
    .set("content-type", MERGE)
    .send({ spec: { matchConstraints: { matchPolicy: "Exact" } } })
    .expect(200);
  await call("post", events).send(event("no")).expect(201);
});

test("a Scale is looked at as such", async () => {
  const resourceRules = [rule({ apiGroups: ["apps"], resources: ["deployments/scale"] })];
  const validations = [
    { expression: "object.kind == 'Scale' && object.spec.replicas < oldObject.spec.replicas + 2" },
  ];
  await validating({ matchConstraints: { resourceRules }, validations });
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template };
  await call("post", deployments)
    .send({ metadata: { name: "d" }, spec })
    .expect(201);
  const scale = (replicas: number) =>
    call("patch", `${deployments}/d/scale`).set("content-type", MERGE).send({ spec: { replicas } });
  await scale(2).expect(200);
  await scale(9).expect(422);
});
