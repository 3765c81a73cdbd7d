import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isObject, type JsonObject, objectAt, objectsAt } from "../../../../../src/apimachinery/json/json.ts";
import { schemaLibrary } from "../../../../../src/apimachinery/schema/go/schema-library.ts";
import type { JsonSchema } from "../../../../../src/apimachinery/schema/schema-node.ts";
import { createOpenApi, renderOpenApiFiles } from "../../../../../src/apiserver/endpoints/openapi/openapi.ts";
import { builtIn, custom, fromFacts, version } from "../discovery/definitions.ts";
import { withoutDescriptions } from "./without-descriptions.ts";

function fixture(name: string): JsonObject {
  const file = new URL(`./fixtures/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as JsonObject; // our own fixture
}

const coordination = fixture("coordination-v1");
const egress = fixture("k8s.ovn.org-v1");
const definitions: JsonObject = {
  ...objectAt(objectAt(egress, "components"), "schemas"),
  ...objectAt(objectAt(coordination, "components"), "schemas"),
};

/** Types that only the core document needs are left empty. */
const PLAIN = /\.(core|authentication|policy)\.v1\./;

const openApi = createOpenApi((ref) => {
  const name = ref.replace("#/components/schemas/", "");
  const found = objectAt(definitions, name);
  return found ?? (PLAIN.test(name) ? { type: "object" } : schemaLibrary().published(ref));
});

const CORE = "io.k8s.api.core.v1";
const leases = builtIn("coordination.k8s.io", "leases", "Lease", "io.k8s.api.coordination.v1");
const namespaces = builtIn("", "namespaces", "Namespace", CORE, {
  namespaceScoped: false,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  status: true,
  subresources: [
    { name: "finalize", verbs: ["update"], schema: { $ref: `#/components/schemas/${CORE}.Namespace` } },
  ],
});
const configMaps = builtIn("", "configmaps", "ConfigMap", CORE);
const serviceAccounts = builtIn("", "serviceaccounts", "ServiceAccount", CORE, {
  returnsDeletedObject: true,
  subresources: [
    {
      name: "token",
      verbs: ["create"],
      kind: "TokenRequest",
      group: "authentication.k8s.io",
      version: "v1",
      schema: { $ref: "#/components/schemas/io.k8s.api.authentication.v1.TokenRequest" },
    },
  ],
});
const pods = builtIn("", "pods", "Pod", CORE, {
  returnsDeletedObject: true,
  status: true,
  subresources: [
    {
      name: "eviction",
      verbs: ["create"],
      kind: "Eviction",
      group: "policy",
      version: "v1",
      schema: { $ref: "#/components/schemas/io.k8s.api.policy.v1.Eviction" },
    },
    { name: "log", verbs: ["get"] },
  ],
});
const egressIps = fromFacts("egressips.k8s.ovn.org");
const egressFirewalls = fromFacts("egressfirewalls.k8s.ovn.org");
const all = [leases, egressIps, egressFirewalls, namespaces, configMaps, serviceAccounts, pods];

async function documentAt(path: string, from = all): Promise<JsonObject> {
  const document = await openApi.document(from, path);
  if (document === undefined) throw new Error(`there is no document ${path}`);
  return JSON.parse(document.json.toString()) as JsonObject; // documents are objects
}

describe("documents of OpenAPI 3.0", () => {
  test.each([
    ["apis/coordination.k8s.io/v1", coordination],
    ["apis/k8s.ovn.org/v1", egress],
  ])("%s has the shape that a Kubernetes API server publishes", async (path, expected) => {
    expect(withoutDescriptions(await documentAt(path))).toEqual(withoutDescriptions(expected));
  });

  test("every operation, parameter, answer and schema made here has a description", async () => {
    const paths = (await documentAt("apis/k8s.ovn.org/v1"))["paths"];
    const missing: string[] = [];
    const visit = (value: unknown, at: string): void => {
      if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, `${at}[${index}]`);
      else if (isObject(value)) {
        if (("operationId" in value || "in" in value || /\.\d{3}$/.test(at)) && !value["description"])
          missing.push(at);
        for (const [key, item] of Object.entries(value)) visit(item, `${at}.${key}`);
      }
    };
    visit(paths, "");
    expect(missing).toEqual([]);
  });

  test("core operations have the names, parameters, bodies and answers of a Kubernetes API server", async () => {
    const paths = objectAt(await documentAt("api/v1"), "paths") ?? {};
    const expected = fixture("core-v1-signatures");
    const signatures = Object.fromEntries(
      Object.keys(expected).map((path) => [path, signature(paths[path])]),
    );
    expect(signatures).toEqual(expected);
  });

  test("a subresource without a schema is not described", async () => {
    const paths = objectAt(await documentAt("api/v1"), "paths") ?? {};
    expect(Object.keys(paths).filter((path) => path.endsWith("/log"))).toEqual([]);
  });

  test.each([
    ["api", "/api/", "getCoreAPIVersions", "APIVersions"],
    ["apis", "/apis/", "getAPIVersions", "APIGroupList"],
    ["apis/coordination.k8s.io", "/apis/coordination.k8s.io/", "getCoordinationAPIGroup", "APIGroup"],
    ["version", "/version/", "getCodeVersion", "Info"],
  ])("%s describes one path", async (path, described, operationId, schema) => {
    const document = await documentAt(path);
    expect(Object.keys(objectAt(document, "paths") ?? {})).toEqual([described]);
    expect(JSON.stringify(document)).toContain(`"operationId":"${operationId}"`);
    const schemas = objectAt(objectAt(document, "components"), "schemas") ?? {};
    expect(Object.keys(schemas).some((name) => name.endsWith(`.${schema}`))).toBe(true);
  });

  test("connections take parameters of their own and give texts", async () => {
    const connect = () => undefined;
    const verbs = ["create", "delete", "get", "patch", "update"];
    const connected = builtIn("", "pods", "Pod", CORE, {
      subresources: [
        { name: "attach", verbs: ["create", "get"], kind: "PodAttachOptions", connect },
        { name: "log", verbs: ["get"], connect, gives: "text/plain" },
        { name: "proxy", verbs, kind: "PodProxyOptions", connect },
      ],
    });
    const paths = (await documentAt("api/v1", [connected]))["paths"] as Record<string, JsonObject>;
    const pod = "/api/v1/namespaces/{namespace}/pods/{name}";
    const namesOf = (path: string) =>
      objectsAt(paths[`${pod}/${path}`], "parameters").map((item) => `${item["in"]} ${item["name"]}`);
    const idsOf = (path: string) =>
      Object.values(paths[`${pod}/${path}`] ?? {}).flatMap((item) =>
        isObject(item) ? [item["operationId"]] : [],
      );

    expect(namesOf("attach").join()).toBe(
      "query container,path name,path namespace,query stderr,query stdin,query stdout,query tty",
    );
    expect(idsOf("attach")).toEqual([
      "connectCoreV1GetNamespacedPodAttach",
      "connectCoreV1PostNamespacedPodAttach",
    ]);
    expect(idsOf("log")).toEqual(["readCoreV1NamespacedPodLog"]);
    expect(namesOf("proxy/{path}")).toEqual(["path name", "path namespace", "path path", "query path"]);
    const methods = ["Delete", "Get", "Head", "Options", "Patch", "Post", "Put"];
    expect(idsOf("proxy/{path}")).toEqual(
      methods.map((method) => `connectCoreV1${method}NamespacedPodProxyWithPath`),
    );
    expect(objectAt(paths[`${pod}/proxy`], "head")).toMatchObject({
      responses: { 200: { content: { "*/*": { schema: { type: "string" } } } } },
      "x-kubernetes-action": "connect",
      "x-kubernetes-group-version-kind": { group: "", version: "v1", kind: "PodProxyOptions" },
    });
  });

  test("a group of custom resources has no document of its own", () => {
    expect(openApi.document(all, "apis/k8s.ovn.org")).toBeUndefined();
    expect(openApi.document(all, "apis/k8s.ovn.org/v2")).toBeUndefined();
  });

  test("a schema that is nowhere to be found is a mistake of ours", async () => {
    const broken = builtIn("broken.example", "brokens", "Broken", "io.k8s.api.broken.v1");
    await expect(openApi.document([broken], "apis/broken.example/v1")).rejects.toThrow(
      /io\.k8s\.api\.broken/,
    );
  });
});

describe("published schemas of custom resources", () => {
  const publish = async (
    schema: JsonSchema,
    selectableFields: readonly string[] = [],
  ): Promise<JsonObject> => {
    const thing = custom("example.com", "things", "Thing", {
      versions: [version("v1", schema, { selectableFields })],
    });
    const schemas = objectAt(
      objectAt(await documentAt("apis/example.com/v1", [thing]), "components"),
      "schemas",
    );
    return objectAt(schemas, "com.example.v1.Thing") ?? {};
  };
  const property = async (schema: JsonSchema): Promise<unknown> =>
    objectAt(await publish({ type: "object", properties: { p: schema } }), "properties")?.["p"];

  const INT_OR_STRING = [{ type: "integer" }, { type: "string" }];
  test.each<{ rule: string; schema: JsonSchema; published: JsonSchema }>([
    {
      rule: "int-or-string is spelled out",
      schema: { "x-kubernetes-int-or-string": true },
      published: { anyOf: INT_OR_STRING, "x-kubernetes-int-or-string": true },
    },
    {
      rule: "int-or-string that is spelled out already stays",
      schema: { anyOf: INT_OR_STRING, pattern: "^a$", "x-kubernetes-int-or-string": true },
      published: { anyOf: INT_OR_STRING, pattern: "^a$", "x-kubernetes-int-or-string": true },
    },
    {
      rule: "beside other alternatives int-or-string goes into allOf",
      schema: { anyOf: [{ minimum: 1 }], allOf: [{ maximum: 3 }], "x-kubernetes-int-or-string": true },
      published: {
        anyOf: [{ minimum: 1 }],
        allOf: [{ anyOf: INT_OR_STRING }, { maximum: 3 }],
        "x-kubernetes-int-or-string": true,
      },
    },
    {
      rule: "defaults, enums and nullable values are kept",
      schema: { type: "string", default: "", enum: ["", "red"], nullable: true },
      published: { type: "string", default: "", enum: ["", "red"], nullable: true },
    },
    {
      rule: "a default that looks like a reference is none",
      schema: {
        type: "object",
        default: { $ref: "#/components/schemas/none", items: [{ $ref: "none" }] },
        "x-kubernetes-preserve-unknown-fields": true,
      },
      published: {
        type: "object",
        default: { $ref: "#/components/schemas/none", items: [{ $ref: "none" }] },
        "x-kubernetes-preserve-unknown-fields": true,
      },
    },
    {
      rule: "what says nothing is left out",
      schema: {
        type: "object",
        description: "",
        nullable: false,
        required: [],
        properties: {},
        "x-kubernetes-preserve-unknown-fields": false,
        example: { a: 1 },
        externalDocs: { url: "https://example.com" },
      },
      published: { type: "object" },
    },
    {
      rule: "a property may have the name of a keyword",
      schema: { type: "object", properties: { example: { type: "string" }, default: { type: "string" } } },
      published: { type: "object", properties: { example: { type: "string" }, default: { type: "string" } } },
    },
    {
      rule: "large bounds keep their digits",
      schema: { type: "integer", maximum: 9007199254740991, minimum: -5 },
      published: { type: "integer", maximum: 9007199254740991, minimum: -5 },
    },
  ])("$rule", async ({ schema, published }) => {
    expect(await property(schema)).toEqual(published);
  });

  test("an embedded resource gets the members of an object", async () => {
    const embedded = await property({
      type: "object",
      required: ["kind"],
      properties: { spec: { type: "object" } },
      "x-kubernetes-embedded-resource": true,
    });
    expect(withoutDescriptions(embedded)).toEqual({
      type: "object",
      required: ["kind", "apiVersion"],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: {
          allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
        },
        spec: { type: "object" },
      },
      "x-kubernetes-embedded-resource": true,
    });
  });

  test("selectable fields are named without the leading dot", async () => {
    expect((await publish({ type: "object" }, [".spec.color"]))["x-kubernetes-selectable-fields"]).toEqual([
      { fieldPath: "spec.color" },
    ]);
  });

  test("the schema of the CRD is not changed", async () => {
    const schema: JsonSchema = { type: "object", properties: { p: { "x-kubernetes-int-or-string": true } } };
    const before = JSON.stringify(schema);
    await publish(schema);
    expect(JSON.stringify(schema)).toBe(before);
  });
});

describe("the index", () => {
  test("names every document with the hash of its content", async () => {
    const index = JSON.parse((await openApi.index(all)).json.toString()) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(index.paths)).toEqual([
      ".well-known/openid-configuration",
      "api",
      "api/v1",
      "apis",
      "apis/coordination.k8s.io",
      "apis/coordination.k8s.io/v1",
      "apis/k8s.ovn.org/v1",
      "openid/v1/jwks",
      "version",
    ]);
    const { hash } = (await openApi.document(all, "apis/k8s.ovn.org/v1")) ?? {};
    expect(hash).toMatch(/^[0-9A-F]{128}$/);
    expect(index.paths["apis/k8s.ovn.org/v1"]?.serverRelativeURL).toBe(
      `/openapi/v3/apis/k8s.ovn.org/v1?hash=${hash}`,
    );
  });

  test("documents of group versions that did not change are kept when others do", async () => {
    const before = openApi.document(all, "apis/coordination.k8s.io/v1");
    const changed = all.filter((definition) => definition !== egressIps);
    expect(openApi.document(changed, "apis/coordination.k8s.io/v1")).toBe(before);
    expect((await openApi.document(changed, "apis/k8s.ovn.org/v1"))?.hash).not.toBe(
      (await openApi.document(all, "apis/k8s.ovn.org/v1"))?.hash,
    );
  });
});

describe("files", () => {
  test("are named after the path and hold the indented document", async () => {
    const files = await renderOpenApiFiles([leases], (ref) => {
      return objectAt(definitions, ref.split("/").at(-1) ?? "") ?? schemaLibrary().published(ref);
    });
    expect([...files.keys()]).toEqual([
      ".well-known__openid-configuration_openapi.json",
      "api_openapi.json",
      "apis_openapi.json",
      "apis__coordination.k8s.io_openapi.json",
      "apis__coordination.k8s.io__v1_openapi.json",
      "openid__v1__jwks_openapi.json",
      "version_openapi.json",
    ]);
    const text = files.get("apis__coordination.k8s.io__v1_openapi.json") ?? "";
    expect(withoutDescriptions(JSON.parse(text))).toEqual(withoutDescriptions(coordination));
  });
});

interface Described {
  readonly operationId?: string;
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string };
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Record<string, { readonly content?: Content }>;
}

type Content = Record<string, { readonly schema: { readonly $ref: string } }>;

/** A path item in short: what matters of each operation, in the order of the fixture. */
function signature(item: unknown): unknown {
  if (!isObject(item)) return undefined;
  const names = (list: Described["parameters"]) => list?.map(({ name }) => name).join(" ") || "-";
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(item)) {
    if (key === "parameters")
      out[key] = names(value as Described["parameters"]); // as our document writes it
    else out[key] = operationSignature(value as Described, names); // as above
  }
  return out;
}

function operationSignature(
  operation: Described,
  names: (list: Described["parameters"]) => string,
): readonly string[] {
  const kind = operation["x-kubernetes-group-version-kind"];
  const { requestBody } = operation;
  const mark = requestBody?.required ? "!" : "";
  return [
    operation.operationId ?? "",
    operation["x-kubernetes-action"] ?? "-",
    kind === undefined ? "-" : `${kind.group}/${kind.version}/${kind.kind}`,
    names(operation.parameters),
    requestBody === undefined ? "-" : contentSignature(requestBody.content, mark),
    ...Object.entries(operation.responses).map(([code, { content }]) =>
      content === undefined ? code : `${code} ${contentSignature(content, "")}`,
    ),
  ];
}

function contentSignature(content: Content, mark: string): string {
  const schema = Object.values(content)[0]?.schema.$ref.replace("#/components/schemas/", "");
  return `${Object.keys(content).sort().join(" ")}${mark} ${schema}`;
}
