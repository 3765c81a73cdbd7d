import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../../../src/apimachinery/meta/status.ts";
import {
  decodeJsonBody,
  decodeObject,
  readLargeBody,
} from "../../../../../src/apiserver/endpoints/request/decode-body.ts";
import { definitionFromCrd } from "../../../../../src/apiserver/registry/custom-resource.ts";
import type { ResourceView } from "../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { ResourceRegistry } from "../../../../../src/apiserver/registry/resource-registry.ts";
import { BUILT_IN_RESOURCES } from "../../../../../src/kube/index.ts";
import { crdOf, versionWith } from "../support.ts";

const registry = new ResourceRegistry();
registry.set(...BUILT_IN_RESOURCES);
const spec = {
  type: "object",
  properties: { a: { type: "string" }, list: { type: "array", items: { type: "object" } } },
};
registry.set(definitionFromCrd(crdOf([versionWith(spec)]) as unknown as KubeObject));

function viewOf(group: string, resource: string): ResourceView {
  const view = registry.find(group, "v1", resource);
  if (view === undefined) throw new Error(`${resource} is not served`);
  return view;
}
const configMaps = viewOf("", "configmaps");
const things = viewOf("example.com", "things");

const known = ({ apiVersion, kind }: { apiVersion: string; kind: string }) =>
  registry.findByKind(apiVersion, kind) !== undefined;

function decoded(view: ResourceView, text: string, format: "json" | "yaml" = "json") {
  try {
    return decodeObject(view, Buffer.from(text), format, known);
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const HEAD = '"apiVersion":"v1","kind":"ConfigMap"';
const THING = '"apiVersion":"example.com/v1","kind":"Thing"';

const user = { name: "jane", groups: [] };

describe("an object", () => {
  test("is read from JSON and from YAML alike", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "1" } };
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '1'}\n";
    expect(decoded(configMaps, JSON.stringify(object))).toEqual({ object, findings: [] });
    expect(decoded(configMaps, yaml, "yaml")).toEqual({ object, findings: [] });
  });

  test.each([
    ["of a built-in kind", configMaps, `{${HEAD},"colour":1,"metadata":{"name":"c","shape":2}}`],
    ["of a custom kind", things, `{${THING},"colour":1,"metadata":{"name":"c","shape":2}}`],
  ])("%s loses what is not known, and it is told", (_rule, view, text) => {
    const result = decoded(view, text);
    expect(result).toMatchObject({ object: { metadata: { name: "c" } } });
    expect(result).not.toHaveProperty("object.colour");
    expect(result).not.toHaveProperty("object.metadata.shape");
    const { findings } = result as { findings: readonly string[] };
    expect([...findings].sort()).toEqual(['unknown field "colour"', 'unknown field "metadata.shape"']);
  });

  test("with a key twice has the last value, and it is told", () => {
    const text = `{${THING},"metadata":{"name":"c"},"spec":{"a":"1","a":"2","list":[{},{}]},"spec":{"a":"3"}}`;
    expect(decoded(things, text)).toMatchObject({
      object: { spec: { a: "3" } },
      findings: ['duplicate field "spec.a"', 'duplicate field "spec"'],
    });
  });

  test("with a key twice in YAML has the last value, and it is told as go-yaml tells it", () => {
    const text = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: '1'\n  a: '2'\n  b: v\n  b: w\n";
    expect(decoded(configMaps, text, "yaml")).toMatchObject({
      object: { data: { a: "2", b: "w" } },
      findings: [
        'yaml: unmarshal errors:\n  line 5: key "a" already set in map\n  line 7: key "b" already set in map',
      ],
    });
  });

  test("in YAML that cannot be read is refused with the reader's words alone", () => {
    expect(decoded(configMaps, "a: b: c", "yaml")).toBe(
      "400 the object provided is unrecognized (must be of type ConfigMap): yaml: mapping values are not allowed in this context (613a20623a2063)",
    );
    expect(decoded(configMaps, "- a", "yaml")).toMatch(
      /couldn't get version\/kind; json parse error: json: /,
    );
  });

  test("without metadata has empty metadata", () => {
    expect(decoded(configMaps, `{${HEAD}}`)).toMatchObject({ object: { metadata: {} } });
    expect(decoded(things, `{${THING},"metadata":null}`)).toMatchObject({ object: { metadata: {} } });
  });
});

describe("what an object is", () => {
  test.each([
    ["is known from the URL", "{}"],
    ["is known from the URL, without a version", '{"kind":"ConfigMap"}'],
    ["is known from the URL, without a kind", '{"apiVersion":"v1","metadata":{}}'],
    ["is known from the URL, where it is said to be nothing", '{"apiVersion":null,"kind":""}'],
    ["is known from the URL, where nothing is said at all", "null"],
  ])("of a built-in kind %s", (_rule, text) => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: {} };
    expect(decoded(configMaps, text)).toEqual({ object, findings: [] });
  });

  test.each([
    ["{}", "{}"],
    ["null", "6e756c6c"],
    ['{"apiVersion":"example.com/v1","metadata":{}}', '{"apiVersion":"example.com/v1" ...'],
  ])("of a custom kind has to be said: %s", (text, shown) => {
    const why = `Object 'Kind' is missing in '${text}' (${shown})`;
    expect(decoded(things, text)).toBe(
      `400 the object provided is unrecognized (must be of type Thing): ${why}`,
    );
  });

  test.each([
    ["json", ' {"b":1,"a":2}\n', '{"b":1,"a":2}'],
    ["yaml", "b: 1\na: 2\n", '{"a":2,"b":1}'],
  ] as const)("of a custom kind has to be said where findings are ignored, in %s", (format, text, shown) => {
    const decode = () => decodeObject(things, Buffer.from(text), format, known, false);
    expect(decode).toThrow(
      `Thing in version "v1" cannot be handled as a Thing: Object 'Kind' is missing in '${shown}'`,
    );
  });

  test("of a custom kind has a version, or none that can be checked", () => {
    expect(decoded(things, '{"kind":"Thing"}')).toEqual({
      object: { kind: "Thing", metadata: {} },
      findings: [],
    });
  });
});

describe("what cannot be read is refused with what a Go decoder says of it", () => {
  const META =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const unrecognised = (kind: string, why: string) =>
    `400 the object provided is unrecognized (must be of type ${kind}): ${why}`;
  const parse = (kind: string, why: string) =>
    unrecognised(kind, `couldn't get version/kind; json parse error: ${why}`);

  test.each([
    ["nothing", "", parse("ConfigMap", "unexpected end of JSON input (<empty>)")],
    [
      "no JSON",
      "hello",
      parse("ConfigMap", "invalid character 'h' looking for beginning of value (68656c6c6f)"),
    ],
    ["half an object", '{"a":', parse("ConfigMap", 'unexpected end of JSON input ({"a":)')],
    ["a list", "[]", parse("ConfigMap", `json: cannot unmarshal array into Go value of type ${META} (5b5d)`)],
    [
      "a text",
      '"x"',
      parse("ConfigMap", `json: cannot unmarshal string into Go value of type ${META} (227822)`),
    ],
    [
      "a kind that is no text",
      '{"kind":1}',
      parse(
        "ConfigMap",
        'json: cannot unmarshal number into Go struct field .kind of type string ({"kind":1})',
      ),
    ],
    [
      "an apiVersion of three parts",
      '{"apiVersion":"a/b/c","kind":"ConfigMap"}',
      unrecognised("ConfigMap", 'unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)'),
    ],
  ])("%s", (_rule, text, message) => {
    expect(decoded(configMaps, text)).toBe(message);
  });

  test.each([
    [
      "a wrong type in a built-in kind",
      configMaps,
      `{${HEAD},"data":{"a":1}}`,
      '400 ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      "a wrong type in the metadata of a custom kind",
      things,
      `{${THING},"metadata":{"name":1}}`,
      '400 Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ],
    [
      "another kind in the place of a built-in one",
      configMaps,
      '{"apiVersion":"v1","kind":"Secret"}',
      '400 Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
  ])("%s", (_rule, view, text, message) => {
    expect(decoded(view, text)).toBe(message);
  });
});

describe("a large body", () => {
  const blanks = " ".repeat(200_000);

  test.each<[string, ResourceView, string]>([
    ["of a built-in kind", configMaps, `{${HEAD},"data":{"a":"1","b":null},"odd":{"x":1},"odd":2}`],
    ["of a custom kind", things, `{${THING},"metadata":{"name":"t","odd":1},"spec":{"a":"1","odd":2}}`],
    ["with a value of a wrong type", configMaps, `{${HEAD},"data":{"a":1}}`],
    ["with metadata of a wrong type", things, `{${THING},"metadata":{"labels":[]}}`],
  ])("%s is read as a small one", async (_rule, view, text) => {
    const large = Buffer.from(text + blanks);
    const outcome = async () => {
      await readLargeBody({ headers: { "content-type": "application/json" }, body: large, user });
      return await decodeObject(view, large, "json", known);
    };
    const told = await outcome().catch((error: StatusError) => `${error.code} ${error.message}`);
    expect(told).toEqual(decoded(view, text));
  });

  test.each([
    ["application/json", true],
    ["application/json; charset=utf-8", true],
    ["application/merge-patch+json", true],
    ["", true],
    ["application/yaml", false],
    ["application/vnd.kubernetes.protobuf", false],
  ])("of type %j is read ahead: %j", async (contentType, isRead) => {
    const body = Buffer.from(`{"a":1}${blanks}`);
    expect(readLargeBody({ headers: { "content-type": contentType }, body, user }) !== undefined).toBe(
      isRead,
    );
  });

  test("is read for who asks first, because he may change what he got", async () => {
    const body = Buffer.from(`{"a":1}${blanks}`);
    await readLargeBody({ headers: {}, body, user });
    Object.assign(decodeJsonBody(body).value as object, { b: 2 });
    expect(decodeJsonBody(body).value).toEqual({ a: 1 });
  });
});

describe("a type that is not the one that is wanted", () => {
  const refusal = (text: string) => {
    try {
      return decodeObject(configMaps, Buffer.from(text), "json", known);
    } catch (error) {
      return error instanceof StatusError ? error.message : error;
    }
  };

  test.each([
    ["is unknown", "v1", "Nope", 'no kind "Nope" is registered for version "v1" in scheme'],
    [
      "is of no such version",
      "v2",
      "ConfigMap",
      'no kind "ConfigMap" is registered for version "v2" in scheme',
    ],
    [
      "is of another group",
      "apps/v1",
      "Deployment",
      "converting (v1.Deployment) to (core.ConfigMap): unknown",
    ],
    ["is another kind", "v1", "Secret", "converting (v1.Secret) to (core.ConfigMap): unknown conversion"],
  ])("%s", (_rule, apiVersion, kind, why) => {
    const version = apiVersion.replace(/.*\//, "");
    expect(refusal(JSON.stringify({ apiVersion, kind }))).toContain(
      `${kind} in version "${version}" cannot be handled as a ConfigMap: ${why}`,
    );
  });
});
