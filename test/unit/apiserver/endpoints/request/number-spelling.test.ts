// Numbers in a notation that Go does not print, accepted or rejected as by kube-apiserver 1.36.3.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { readLargeBody } from "../../../../../src/apiserver/endpoints/request/decode-body.ts";
import { isLargeBody } from "../../../../../src/apiserver/registry/definition/request-context.ts";
import {
  type Answer,
  APPLY_PATCH,
  crdOf,
  JSON_PATCH,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  TestApi,
  THINGS,
  versionWith,
} from "../support.ts";

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const D = `${DEPLOYMENTS}/d`;
const MAPS = "/api/v1/namespaces/default/configmaps";
const SERVICES = "/api/v1/namespaces/default/services";
const DRY = "?dryRun=All";

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
  expect((await api.post(DEPLOYMENTS, deployment("1", "d"))).status).toBe(201);
  const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  await api.serve(crdOf([versionWith(spec)]));
  await api.post(THINGS, thing('{"n":1}', "t"));
});
afterAll(() => api[Symbol.asyncDispose]());

function deployment(replicas: string, name = "x", container = ""): string {
  const template = `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"${container}}]}}`;
  const spec = `"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},"template":${template}`;
  return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"${name}"},"spec":{${spec}}}`;
}
const thing = (spec: string, name = "x", metadata = ""): string =>
  `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"${name}"${metadata}},"spec":${spec}}`;

const answerOf = ({ status, body }: Answer): unknown[] => [status, body["message"]];
const replicasOf = ({ status, body }: Answer): unknown[] => [
  status,
  (body["spec"] as JsonObject)?.["replicas"],
];
const refused = (kind: string, why: string): unknown[] => [
  400,
  `${kind} in version "v1" cannot be handled as a ${kind}: ${why}`,
];
const misfit = (number: string, field: string, type = "int32"): string =>
  `json: cannot unmarshal number ${number} into Go struct field ${field} of type ${type}`;
const REPLICAS = "DeploymentSpec.spec.replicas";

const UNUSUAL = ["1.0", "1e0", "1E0", "-0.0", "0.0", "0e5", "10e-1", "1e-400", "1.5", "1.50"];
const OUT_OF_RANGE = ["2147483648", "9223372036854775808", "-9223372036854775809", "1e18", "1e400", "-1e400"];

describe.each([...UNUSUAL, ...OUT_OF_RANGE, `1${"0".repeat(21)}`])("%s for a Go integer", (number) => {
  test("is refused in JSON", async () => {
    const expected = refused("Deployment", misfit(number, REPLICAS));
    expect(answerOf(await api.post(DEPLOYMENTS, deployment(number)))).toEqual(expected);
    expect(answerOf(await api.put(D, deployment(number, "d")))).toEqual(expected);
    const ignoring = await api.post(`${DEPLOYMENTS}?fieldValidation=Ignore`, deployment(number));
    expect(answerOf(ignoring)).toEqual(expected);
    const scale = `{"metadata":{"name":"d"},"spec":{"replicas":${number}}}`;
    expect(answerOf(await api.put(`${D}/scale`, scale))).toEqual(
      refused("Scale", misfit(number, "ScaleSpec.spec.replicas")),
    );
  });

  test.runIf(!number.includes("1e400"))("is refused in what a patch makes", async () => {
    for (const [url, field] of [
      [D, REPLICAS],
      [`${D}/scale`, "ScaleSpec.spec.replicas"],
    ] as const) {
      const merged = await api.patch(MERGE_PATCH, url, `{"spec":{"replicas":${number}}}`);
      const operation = `[{"op":"replace","path":"/spec/replicas","value":${number}}]`;
      for (const { status, body } of [merged, await api.patch(JSON_PATCH, url, operation)]) {
        expect(status).toBe(422);
        expect(body["message"]).toMatch(/^ "" is invalid: patch: Invalid value: "\{/);
        expect(body["message"]).toContain(`\\"replicas\\":${number}`);
        expect(String(body["message"]).endsWith(`}": ${misfit(number, field)}`)).toBe(true);
      }
    }
  });
});

test("what stands for its value is an integer", async () => {
  expect(replicasOf(await api.post(DEPLOYMENTS + DRY, deployment("-0")))).toEqual([201, 0]);
  const seconds = "9223372036854775807";
  const body = deployment("1").replace(
    '"containers"',
    `"terminationGracePeriodSeconds":${seconds},"containers"`,
  );
  expect((await api.post(DEPLOYMENTS + DRY, body)).text).toContain(
    `"terminationGracePeriodSeconds":${seconds}`,
  );
});

test.each([
  ["1.0", 1],
  ["3e0", 3],
  ["-0.0", 0],
])("%s is accepted in a strategic merge patch, an apply and YAML", async (number, value) => {
  const patch = `{"spec":{"replicas":${number}}}`;
  expect(replicasOf(await api.patch(STRATEGIC_PATCH, D + DRY, patch))).toEqual([200, value]);
  const scaled = await api.patch(STRATEGIC_PATCH, `${D}/scale${DRY}`, patch);
  expect(replicasOf(scaled)).toEqual([200, value || undefined]);
  const applied = await api.patch(
    APPLY_PATCH,
    `${D}${DRY}&fieldManager=m&force=true`,
    deployment(number, "d"),
  );
  expect(replicasOf(applied)).toEqual([200, value]);
  const headers = { "content-type": "application/yaml" };
  expect(replicasOf(await api.post(DEPLOYMENTS + DRY, deployment(number), headers))).toEqual([201, value]);
});

test("an int32 that is too large wraps in a strategic merge patch and in an apply of a Scale", async () => {
  const why = "spec.replicas: Invalid value: -2147483648: must be greater than or equal to 0";
  const expected = [422, `Scale.autoscaling "d" is invalid: ${why}`];
  const spec = '"spec":{"replicas":2147483648}';
  expect(answerOf(await api.patch(STRATEGIC_PATCH, `${D}/scale`, `{${spec}}`))).toEqual(expected);
  const scale = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},${spec}}`;
  const applied = await api.patch(APPLY_PATCH, `${D}/scale?fieldManager=m&force=true`, scale);
  expect(answerOf(applied)).toEqual(expected);
});

test("a number that no double holds is refused in patches before it is known what it goes into", async () => {
  const why = "json: cannot unmarshal number 1e400 into Go value of type float64";
  const patch = '{"spec":{"replicas":1e400}}';
  expect(answerOf(await api.patch(MERGE_PATCH, D, patch))).toEqual([400, `error decoding patch: ${why}`]);
  expect(answerOf(await api.patch(STRATEGIC_PATCH, D, patch))).toEqual([400, why]);
  const operation = '[{"op":"replace","path":"/spec/replicas","value":1e400}]';
  expect(answerOf(await api.patch(JSON_PATCH, D, operation))).toEqual([
    400,
    "error decoding patch: json: cannot unmarshal number 1e400 into Go struct field jsonPatchOp.value of type float64",
  ]);
});

test.each([
  ['"ports":[{"port":80.0}]', "port"],
  ['"ports":[{"port":80,"targetPort":80.0}]', "targetPort"],
])("in a port: %s", async (spec, field) => {
  const service = `{"metadata":{"name":"s"},"spec":{${spec}}}`;
  const why = misfit("80.0", `ServicePort.spec.ports.${field}`);
  expect(answerOf(await api.post(SERVICES, service))).toEqual(refused("Service", why));
});

test.each<[string, string]>([
  ['"data":{"a":1e400}', "number into Go struct field ConfigMap.data of type string"],
  ['"immutable":1.0', "number into Go struct field ConfigMap.immutable of type bool"],
  ['"binaryData":{"a":[1.0]}', "number 1.0 into Go struct field ConfigMap.binaryData of type uint8"],
])("of another type: %s", async (member, why) => {
  const answer = await api.post(MAPS, `{"metadata":{"name":"m"},${member}}`);
  expect(answerOf(answer)).toEqual(refused("ConfigMap", `json: cannot unmarshal ${why}`));
});

test("in the metadata of a built-in kind, and in the options of a deletion", async () => {
  const map = '{"metadata":{"name":"m","generation":1.0}}';
  const why = misfit("1.0", "ObjectMeta.metadata.generation", "int64");
  expect(answerOf(await api.post(MAPS, map))).toEqual(refused("ConfigMap", why));
  const body = '{"gracePeriodSeconds":1.0,"dryRun":["All"]}';
  expect(answerOf(await api.send("DELETE", D, { body }))).toEqual([
    400,
    misfit("1.0", "DeleteOptions.gracePeriodSeconds", "int64"),
  ]);
});

test.each(["1.0", "1e400"])("%s in an unknown field is dropped with it", async (number) => {
  const answer = await api.post(MAPS + DRY, `{"metadata":{"name":"m"},"foo":${number}}`);
  expect([answer.status, answer.body["foo"], answer.warnings]).toEqual([
    201,
    undefined,
    ['unknown field "foo"'],
  ]);
});

test("a quantity is read from the text of its number", async () => {
  const limits = ',"resources":{"limits":{"cpu":1.50,"memory":1e3}}';
  const made = await api.post(DEPLOYMENTS + DRY, deployment("1", "x", limits));
  expect(made.text).toContain('"limits":{"cpu":"1500m","memory":"1e3"}');
  const patch = `{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"${limits}}]}}}}`;
  expect((await api.patch(MERGE_PATCH, D + DRY, patch)).text).toContain('"cpu":"1500m","memory":"1e3"');
  expect((await api.patch(STRATEGIC_PATCH, D + DRY, patch)).text).toContain('"cpu":"1500m","memory":"1k"');
});

test("custom resources take numbers by their values", async () => {
  const spec = '{"a":1.0,"b":[1e3,{"c":-0.0}],"d":1.50}';
  const values = { a: 1, b: [1000, { c: 0 }], d: 1.5 };
  const made = await api.post(THINGS + DRY, thing(spec, "x", ',"generation":1.0'));
  expect([made.status, made.body["spec"]]).toEqual([201, values]);
  const patched = await api.patch(MERGE_PATCH, `${THINGS}/t${DRY}`, `{"spec":${spec}}`);
  expect(patched.body["spec"]).toEqual({ n: 1, ...values });
  const operation = `[{"op":"replace","path":"/spec","value":${spec}}]`;
  expect((await api.patch(JSON_PATCH, `${THINGS}/t${DRY}`, operation)).body["spec"]).toEqual(values);
  const tooGreat = await api.post(THINGS, thing('{"a":-1e400}'));
  expect(answerOf(tooGreat)).toEqual(
    refused("Thing", "json: cannot unmarshal number -1e400 into Go value of type float64"),
  );
});

test("a JSON patch tests and copies the spelling", async () => {
  const one = '{"op":"add","path":"/spec/replicas","value":1.0}';
  const patch = (operations: string) => api.patch(JSON_PATCH, D, `[${operations}]`);
  const spelled = await patch(`${one},{"op":"test","path":"/spec/replicas","value":1.0}`);
  expect(spelled.body["message"]).toContain(misfit("1.0", REPLICAS));
  const other = await patch('{"op":"test","path":"/spec/replicas","value":1.0}');
  expect(answerOf(other)).toEqual([422, "the server rejected our request due to an error in our request"]);
  const copied = await patch(
    `${one},{"op":"copy","from":"/spec/replicas","path":"/spec/revisionHistoryLimit"},{"op":"replace","path":"/spec/replicas","value":1}`,
  );
  expect(copied.body["message"]).toContain(misfit("1.0", "DeploymentSpec.spec.revisionHistoryLimit"));
});

test("large bodies are read the same", async () => {
  const post = async (url: string, text: string) => {
    const body = Buffer.from(text);
    expect(isLargeBody(body)).toBe(true);
    const headers = { "content-type": "application/json" };
    await readLargeBody({ headers, body, user: { name: "u", groups: [] } });
    return api.post(url, body);
  };
  const filling = `"${"x".repeat(700_000)}"`;
  const map = `{"metadata":{"name":"m"},"data":{"a":${filling}},"binaryData":{"b":[1.0]}}`;
  const why = "json: cannot unmarshal number 1.0 into Go struct field ConfigMap.binaryData of type uint8";
  expect(answerOf(await post(MAPS, map))).toEqual(refused("ConfigMap", why));
  const made = await post(THINGS + DRY, thing(`{"a":1.0,"b":${filling}}`));
  expect((made.body["spec"] as JsonObject)["a"]).toBe(1);
  expect(answerOf(await post(THINGS, thing(`{"a":1e400,"b":${filling}}`)))).toEqual(
    refused("Thing", "json: cannot unmarshal number 1e400 into Go value of type float64"),
  );
});

test("a definition has numbers of all kinds", async () => {
  const schema = (x: string) =>
    JSON.stringify(
      crdOf([versionWith({ type: "object", properties: { x: "X" } })], { kind: "Other" }),
    ).replace('"X"', x);
  const post = (x: string) =>
    api.post(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions${DRY}`, schema(x));
  const at = "JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.properties";
  const refusal = (why: string) => refused("CustomResourceDefinition", why);
  expect(answerOf(await post('{"type":"string","maxLength":1.0}'))).toEqual(
    refusal(misfit("1.0", `${at}.maxLength`, "int64")),
  );
  expect(answerOf(await post('{"type":"number","maximum":1e400}'))).toEqual(
    refusal(misfit("1e400", `${at}.maximum`, "float64")),
  );
  expect(answerOf(await post('{"type":"number","default":1e400}'))).toEqual(
    refusal("json: cannot unmarshal number 1e400 into Go value of type float64"),
  );
  const made = await post('{"type":"number","default":1.50,"maximum":2.0,"enum":[1e0,1.50]}');
  expect(made.text).toContain('"x":{"type":"number","default":1.5,"maximum":2,"enum":[1,1.5]}');
});
