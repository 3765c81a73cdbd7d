import { describe, expect, test } from "vitest";
import { freezeJson, type JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { decodeJson } from "../../../../src/apimachinery/json/json-decode.ts";
import { mergeStrategically } from "../../../../src/apimachinery/patch/strategic-merge-patch.ts";
import { cpuMs } from "../../../support/cpu-time.ts";
import { coreNode, refusal } from "./support.ts";

const nodes = {
  ConfigMap: coreNode("ConfigMap"),
  Secret: coreNode("Secret"),
  Service: coreNode("Service"),
  Pod: coreNode("Pod"),
  Node: coreNode("Node"),
};
type Kind = keyof typeof nodes;

const patch = (kind: Kind, document: JsonObject, given: JsonObject) =>
  mergeStrategically(freezeJson(document), freezeJson(given), nodes[kind]).object;

/** Patches the ports of a Service. */
const ports = (before: unknown[], given: JsonObject) => {
  const { spec } = patch("Service", { spec: { ports: before } }, { spec: given });
  return (spec as JsonObject)["ports"]; // a Service stays one
};
const port = (number: number, more: JsonObject = {}) => ({ port: number, ...more });
/** Patches the finalizers of a ConfigMap: a list of scalars that is merged. */
const finalizers = (before: unknown, given: JsonObject) => {
  const { metadata } = patch("ConfigMap", { metadata: { finalizers: before } }, { metadata: given });
  return (metadata as JsonObject)["finalizers"]; // as above
};

describe("members", () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      "are added and replaced",
      { data: { a: "1" } },
      { data: { a: "2", b: "3" } },
      { data: { a: "2", b: "3" } },
    ],
    ["go by null", { data: { a: "1", b: "2" } }, { data: { a: null, n: null } }, { data: { b: "2" } }],
    ["go as a whole", { data: { a: "1" } }, { data: null }, {}],
    ["come without their nulls", {}, { data: { a: null, b: "1" } }, { data: { b: "1" } }],
    ["$patch: replace", { data: { a: "1" } }, { data: { $patch: "replace", b: "2" } }, { data: { b: "2" } }],
    ["$patch: delete", { data: { a: "1" } }, { data: { $patch: "delete", b: "2" } }, { data: {} }],
    ["a directive where nothing is adds nothing", {}, { data: { $patch: "replace", b: "2" } }, {}],
    [
      "$retainKeys clears the others",
      { data: { a: "1", b: "2", c: "3" } },
      { data: { $retainKeys: ["a", "d"], a: "x", d: "4" } },
      { data: { a: "x", d: "4" } },
    ],
    ["unknown ones are kept for others to refuse", {}, { bogus: 1 }, { bogus: 1 }],
  ])("%s", (_rule, document, given, expected) => {
    expect(patch("ConfigMap", document, given)).toEqual(expected);
  });
});

describe("lists of objects", () => {
  test.each<[string, unknown[], JsonObject, unknown[]]>([
    [
      "are merged by their key",
      [port(80, { name: "a" }), port(81)],
      { ports: [port(81, { targetPort: 8081 }), port(82)] },
      [port(80, { name: "a" }), port(81, { targetPort: 8081 }), port(82)],
    ],
    [
      "of two entries with one key the first is merged",
      [port(53, { name: "a" }), port(53)],
      { ports: [port(53, { targetPort: 1 })] },
      [port(53, { name: "a", targetPort: 1 }), port(53)],
    ],
    [
      "a delete meets them all",
      [port(53, { name: "a" }), port(53), port(54)],
      { ports: [port(53, { $patch: "delete" })] },
      [port(54)],
    ],
    [
      "$patch: replace takes the other entries",
      [port(80), port(81)],
      { ports: [{ $patch: "replace" }, port(1)] },
      [port(1)],
    ],
    ["wherever it stands", [port(80)], { ports: [port(1), { $patch: "replace" }] }, [port(1)]],
    [
      "entries of the patch come first where order is open",
      [port(3)],
      { ports: [port(1), port(2)] },
      [port(1), port(2), port(3)],
    ],
    [
      "those of both take the order of the patch",
      [port(1), port(2), port(3)],
      { ports: [port(3), port(1)] },
      [port(2), port(3), port(1)],
    ],
    ["an empty list changes nothing", [port(1)], { ports: [] }, [port(1)]],
  ])("%s", (_rule, before, given, expected) => {
    expect(ports(before, given)).toEqual(expected);
  });

  test("nested ones, too", () => {
    const pod = {
      spec: {
        containers: [
          {
            name: "one",
            image: "i",
            command: ["a", "b"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
          },
        ],
      },
    };
    const given = {
      spec: {
        containers: [
          {
            name: "one",
            command: ["x"],
            env: [
              { name: "B", value: null, valueFrom: {} },
              { name: "A", $patch: "delete" },
            ],
          },
        ],
      },
    };
    expect(patch("Pod", pod, given)).toEqual({
      spec: {
        containers: [{ name: "one", image: "i", command: ["x"], env: [{ name: "B", valueFrom: {} }] }],
      },
    });
  });

  test("without a rule they are replaced", () => {
    const pod = { spec: { tolerations: [{ key: "a", operator: "Exists" }] } };
    const tolerations = [{ key: "b", operator: "Exists" }];
    expect(patch("Pod", pod, { spec: { tolerations } })).toEqual({ spec: { tolerations } });
  });

  test("where there is none, entries with directives are left out", () => {
    const given = { spec: { ports: [port(1), port(2, { $patch: "delete" })] } };
    expect(patch("Service", {}, given)).toEqual({ spec: { ports: [port(1)] } });
  });
});

describe("lists of scalars", () => {
  test.each<[string, unknown, JsonObject, unknown]>([
    ["are put together", ["a/1", "a/2"], { finalizers: ["a/3", "a/1"] }, ["a/3", "a/1", "a/2"]],
    ["without doubles", ["a/1"], { finalizers: ["a/1", "a/1"] }, ["a/1"]],
    [
      "lose what a delete list names",
      ["a/1", "a/2"],
      { "$deleteFromPrimitiveList/finalizers": ["a/1", "x"] },
      ["a/2"],
    ],
    [
      "a delete list where nothing is",
      undefined,
      { "$deleteFromPrimitiveList/finalizers": ["a/1"] },
      undefined,
    ],
    ["both empty", [], { finalizers: [] }, []],
    [
      "a delete list beside an addition",
      ["a/1", "a/2"],
      { "$deleteFromPrimitiveList/finalizers": ["a/1"], finalizers: ["a/3"] },
      ["a/3", "a/2"],
    ],
    [
      "$setElementOrder",
      ["a/1", "a/2"],
      { "$setElementOrder/finalizers": ["a/3", "a/2", "a/1"], finalizers: ["a/3"] },
      ["a/3", "a/2", "a/1"],
    ],
  ])("%s", (_rule, before, given, expected) => {
    expect(finalizers(before, given)).toEqual(expected);
  });
});

describe("$setElementOrder", () => {
  const three = [port(1), port(2), port(3)];

  test.each<[string, JsonObject, number[]]>([
    [
      "sorts a list that is not patched",
      { "$setElementOrder/ports": [port(3), port(1), port(2)] },
      [3, 1, 2],
    ],
    [
      "others keep their place before what follows them",
      { "$setElementOrder/ports": [port(3), port(1)] },
      [2, 3, 1],
    ],
    [
      "sorts the merged list",
      { "$setElementOrder/ports": [port(4), port(3), port(1)], ports: [port(4)] },
      [4, 2, 3, 1],
    ],
    [
      "entries to delete need not be in it",
      { "$setElementOrder/ports": [port(3), port(2)], ports: [port(1, { $patch: "delete" })] },
      [3, 2],
    ],
    ["may name what is not there", { "$setElementOrder/ports": [port(9), port(2)] }, [1, 2, 3]],
  ])("%s", (_rule, given, expected) => {
    const sorted = ports(three, given);
    expect(sorted).toEqual(expected.map((number) => port(number)));
  });

  test("of a list that comes with the patch", () => {
    const given = { spec: { "$setElementOrder/ports": [port(1), port(2)], ports: [port(1), port(2)] } };
    expect(patch("Service", { spec: {} }, given)).toEqual({ spec: { ports: [port(1), port(2)] } });
  });

  test("of nothing does nothing", () => {
    const given = { spec: { "$setElementOrder/ports": [port(1)] } };
    expect(patch("Service", { spec: {} }, given)).toEqual({ spec: {} });
  });
});

describe("refused", () => {
  const message = (kind: Kind, document: JsonObject, given: JsonObject) => {
    const status = refusal(() => patch(kind, document, given));
    return `${status.code} ${status.reason ?? "-"} ${status.message}`;
  };
  const service = { spec: { clusterIP: "None", ports: [port(80, { name: "p80" })] } };

  test.each<[string, JsonObject]>([
    ["500 - map: map[name:x] does not contain declared merge key: port", { ports: [{ name: "x" }] }],
    [
      "500 - map: map[$patch:delete name:x] does not contain declared merge key: port",
      { ports: [{ name: "x", $patch: "delete" }] },
    ],
    ["500 - merging lists cannot yet be specified in the patch", { ports: [{ $patch: "merge" }] }],
    ["500 - unknown patch type: odd in map: map[$patch:odd port:1]", { ports: [port(1, { $patch: "odd" })] }],
    ["500 - list element types are not identical: [[map[name:p80 port:80]] [text]]", { ports: ["text"] }],
    ["500 - expected a []interface {}, but received a string", { "$setElementOrder/ports": "text" }],
    ["500 - expected a []interface {}, but received a %!s(<nil>)", { "$setElementOrder/ports": null }],
    [
      "500 - expected a []interface {}, but received a map[string]interface {}",
      { "$setElementOrder/ports": [], ports: {} },
    ],
    [
      "500 - The order in patch list:\n[map[name:p9 port:9]]\n doesn't match $setElementOrder list:\n[map[port:1]]\n",
      { "$setElementOrder/ports": [port(1)], ports: [port(9, { name: "p9" })] },
    ],
    ["400 BadRequest invalid patch format of setElementOrder list", { $setElementOrder: [] }],
    ["400 BadRequest invalid patch format of primitive list", { $deleteFromPrimitiveList: [] }],
    ["400 BadRequest invalid patch format of retainKeys", { $retainKeys: "ports" }],
    ["400 BadRequest invalid patch format of retainKeys", { $retainKeys: ["ports"], type: "ClusterIP" }],
    [
      '500 - unable to find api field in struct ServiceSpec for the json field "odd"',
      { "$setElementOrder/odd": [] },
    ],
    ["500 - expected slice or array type, but got: struct", { "$setElementOrder/type": [] }],
    ["500 - unknown patch type: odd in map: map[$patch:odd]", { $patch: "odd" }],
  ])("%j", (expected, spec) => {
    expect(message("Service", service, { spec })).toBe(expected);
  });

  test("lists of lists", () => {
    const given = { metadata: { finalizers: [["a/1"]] } };
    expect(message("ConfigMap", { metadata: { finalizers: [] } }, given)).toBe(
      "422 Invalid the server rejected our request due to an error in our request",
    );
  });
});

describe("a result that is no object of the kind", () => {
  test.each<[string, Kind, JsonObject, string]>([
    ["cannot convert int64 to string", "ConfigMap", { data: { a: 5 } }, "map[data:map[a:5]]"],
    [
      "unrecognized type: string",
      "ConfigMap",
      { metadata: { labels: { a: true } } },
      "map[metadata:map[labels:map[a:true]]]",
    ],
    ["cannot restore map from string", "ConfigMap", { data: "text" }, "map[data:text]"],
    ["cannot restore slice from map", "Service", { spec: { ports: {} } }, "map[spec:map[ports:map[]]]"],
    ["cannot restore struct from: slice", "Service", { spec: ["x"] }, "map[spec:[x]]"],
    [
      "unrecognized type: int32",
      "Service",
      { spec: { healthCheckNodePort: "x" } },
      "map[spec:map[healthCheckNodePort:x]]",
    ],
    [
      "cannot convert float64 to int32",
      "Service",
      { spec: { ports: [port(1.5)] } },
      "map[spec:map[ports:[map[port:1.5]]]]",
    ],
    ["unrecognized type: bool", "ConfigMap", { immutable: 1 }, "map[immutable:1]"],
    ["cannot convert int64 to v1.ServiceType", "Service", { spec: { type: 1 } }, "map[spec:map[type:1]]"],
    [
      "error decoding from json: illegal base64 data at input byte 0",
      "Secret",
      { data: { a: "%" } },
      "map[data:map[a:%]]",
    ],
    [
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      "Node",
      { status: { capacity: { cpu: "x" } } },
      "map[status:map[capacity:map[cpu:x]]]",
    ],
  ])("%s", (why, kind, given, shown) => {
    const { code, reason, message, details } = refusal(() => patch(kind, {}, given));
    const cause = `Invalid value: "${shown}": ${why}`;
    expect([code, reason, message]).toEqual([422, "Invalid", ` "" is invalid: patch: ${cause}`]);
    expect(details).toEqual({ causes: [{ reason: "FieldValueInvalid", message: cause, field: "patch" }] });
  });

  test.each([
    [2 ** 53, 0],
    [-(2 ** 31) - 1, 2 ** 31 - 1],
    [2 ** 31, -(2 ** 31)],
    [2n ** 62n + 7n, 7],
    [1e30, 0],
    [80, 80],
  ])("of the integer %s an int32 holds %s", (given, held) => {
    expect(patch("Service", {}, { spec: { healthCheckNodePort: given } })).toEqual({
      spec: { healthCheckNodePort: held },
    });
  });

  test("numbers and nulls that Go takes pass", () => {
    const spec = { ports: [{ port: null, targetPort: "http" }], healthCheckNodePort: 1, type: null };
    expect(patch("Service", {}, { spec })).toEqual({
      spec: { ports: [{ targetPort: "http" }], healthCheckNodePort: 1 },
    });
    expect(patch("Service", { spec: { ports: [port(1)] } }, { spec: { ports: [{ port: null }] } })).toEqual({
      spec: { ports: [{ port: null }, port(1)] },
    });
  });
});

test("messages about the result show the patch without the directives that were followed", () => {
  const document = { spec: { ports: [port(1)], selector: { a: "b" } } };
  const given = {
    spec: { "$setElementOrder/ports": [port(1)], ports: [port(1)], selector: { $patch: "replace", c: "d" } },
  };
  const { object, shownPatch } = mergeStrategically(document, given, nodes.Service);
  expect(object).toEqual({ spec: { ports: [port(1)], selector: { c: "d" } } });
  expect(shownPatch()).toBe("map[spec:map[selector:map[c:d]]]");
});

test("__proto__ is a key like any other", () => {
  const read = (text: string) => decodeJson(text).value as JsonObject; // objects, below
  const merged = patch(
    "ConfigMap",
    read('{"data":{"__proto__":"1"}}'),
    read('{"data":{"__proto__":"2","constructor":"3"}}'),
  );
  expect(Object.entries(merged["data"] as JsonObject)).toEqual([
    ["__proto__", "2"],
    ["constructor", "3"],
  ]); // as read
});

describe("long lists take about linear time", () => {
  const COUNT = 40_000;
  const variables = (name: (index: number) => string, more: JsonObject = {}) =>
    Array.from({ length: COUNT }, (_, index) => ({ name: name(index), ...more }));
  const container = (more: JsonObject) => ({ spec: { containers: [{ name: "c", ...more }] } });
  const forth = (index: number) => `n${index}`;
  const back = (index: number) => `n${COUNT - 1 - index}`;
  const envOf = (object: JsonObject) =>
    ((object["spec"] as { containers: JsonObject[] }).containers[0]?.["env"] ?? []) as JsonObject[]; // a Pod stays one

  test.each<[string, JsonObject, readonly [number, string | undefined, unknown]]>([
    [
      "that is reversed",
      { "$setElementOrder/env": variables(back), env: variables(back, { value: "w" }) },
      [COUNT, `n${COUNT - 1}`, "w"],
    ],
    ["whose items all go", { env: variables(back, { $patch: "delete" }) }, [0, undefined, undefined]],
    ["with as many more", { env: variables((index) => `m${index}`) }, [2 * COUNT, "m0", undefined]],
  ])("one %s", (_what, given, [length, first, value]) => {
    const before = cpuMs();
    const env = envOf(patch("Pod", container({ env: variables(forth, { value: "v" }) }), container(given)));
    expect(cpuMs() - before).toBeLessThan(4000);
    expect(env).toHaveLength(length);
    expect([env[0]?.["name"], env[0]?.["value"]]).toEqual([first, value]);
  });
});
