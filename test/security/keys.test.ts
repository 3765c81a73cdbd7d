// Keys that every JavaScript object inherits, in every place that takes keys: they are handled like any other key.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Besieged, CONFIG_MAPS, configMap } from "./besieged.ts";

let server: Besieged;
beforeAll(async () => {
  server = await Besieged.start();
});
afterAll(() => server?.[Symbol.asyncDispose]());
const ask: Besieged["ask"] = (...question) => server.ask(...question);

describe("keys that objects inherit", () => {
  const KEYS = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"];
  const data = `{${KEYS.map((key) => `"${key}":"own"`).join(",")}}`;
  const hasAll = (object: object) => {
    for (const key of KEYS) expect(Object.getOwnPropertyDescriptor(object, key)?.value).toBe("own");
  };
  afterEach(() => {
    expect(({} as Record<string, unknown>)["own"]).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test.each([
    ["JSON", "application/json", configMap("json", data)],
    ["YAML", "application/yaml", `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\ndata: ${data}\n`],
  ])("are kept like any others in %s", async (_what, type, text) => {
    const made = await ask("POST", CONFIG_MAPS, text, { type });
    expect(made.status).toBe(201);
    hasAll(made.body.data);
    hasAll((await ask("GET", `${CONFIG_MAPS}/${made.body.metadata.name}`)).body.data);
  });

  test.each([
    ["merge patch", "application/merge-patch+json", `{"data":${data}}`],
    ["strategic merge patch", "application/strategic-merge-patch+json", `{"data":${data}}`],
    [
      "JSON patch",
      "application/json-patch+json",
      `[{"op":"add","path":"/data","value":{}},${KEYS.map((key) => `{"op":"add","path":"/data/${key}","value":"own"}`).join(",")}]`,
    ],
    ["apply", "application/apply-patch+yaml", configMap("patched", data)],
  ])("are kept in a %s", async (what, type, text) => {
    await ask("DELETE", `${CONFIG_MAPS}/patched`);
    if (what !== "apply") await ask("POST", CONFIG_MAPS, configMap("patched"));
    const { status, body } = await ask("PATCH", `${CONFIG_MAPS}/patched?fieldManager=m`, text, { type });
    expect([200, 201]).toContain(status);
    hasAll(body.data);
  });

  test("survive protobuf and a table", async () => {
    await ask("POST", CONFIG_MAPS, configMap("forms", data));
    const path = `${CONFIG_MAPS}/forms`;
    expect(
      (await ask("GET", path, undefined, { accept: "application/vnd.kubernetes.protobuf" })).text,
    ).toContain("__proto__");
    const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    expect((await ask("GET", path, undefined, { accept: table })).body.rows[0].cells[1]).toBe(KEYS.length);
  });

  test.each([
    ["labels", `,"labels":{"constructor":"own"}`],
    ["annotations", `,"annotations":{"constructor":"own","prototype":"own"}`],
  ])("may be %s", async (member, metadata) => {
    const name = `with-${member}`;
    await ask("POST", CONFIG_MAPS, configMap(name, "{}", metadata));
    const { body } = await ask("GET", `${CONFIG_MAPS}/${name}?labelSelector=constructor%3Down`);
    expect(body.metadata[member]["constructor"]).toBe("own");
  });

  test("select and count as nothing where they are not", async () => {
    await ask("POST", CONFIG_MAPS, configMap("bare"));
    const { body } = await ask("GET", `${CONFIG_MAPS}?labelSelector=toString`);
    expect(body.items).toEqual([]);
    const all = await ask("GET", `${CONFIG_MAPS}?labelSelector=!toString`);
    expect(all.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toContain(
      "bare",
    );
  });

  test.each([
    [
      "beside the known fields",
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x1"},"__proto__":{"polluted":1}}`,
    ],
    [
      "in the metadata",
      configMap("x2", "{}", ',"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'),
    ],
    ["as the kind", `{"apiVersion":"v1","kind":"__proto__","metadata":{"name":"x3"}}`],
    ["as the version", `{"apiVersion":"constructor","kind":"ConfigMap","metadata":{"name":"x4"}}`],
  ])("do no harm %s", async (_where, text) => {
    expect([201, 400]).toContain((await ask("POST", CONFIG_MAPS, text)).status);
    await server.expectWell();
  });

  test.each([
    ["/__proto__/polluted"],
    ["/metadata/__proto__/polluted"],
    ["/constructor/prototype/polluted"],
    ["/data/constructor/prototype/polluted"],
  ])("do no harm in the pointer %s", async (path) => {
    await ask("POST", CONFIG_MAPS, configMap("pointed"));
    const patch = [{ op: "add", path, value: 1 }];
    const type = "application/json-patch+json";
    expect((await ask("PATCH", `${CONFIG_MAPS}/pointed`, patch, { type })).status).toBe(422);
  });

  test.each(KEYS)(
    "are types of a Secret, labels of nodes and topology keys like any others: %s",
    async (key) => {
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { generateName: "s-" }, type: key };
      expect((await ask("POST", "/api/v1/namespaces/a/secrets", secret)).status).toBe(201);
      const spread = `"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"${key}","whenUnsatisfiable":"DoNotSchedule","labelSelector":{}}]`;
      const spec = `{"nodeSelector":{"${key}":"x"},${spread},"containers":[{"name":"c","image":"i"}]}`;
      const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"p-","annotations":{"${key}":"x"}},"spec":${spec}}`;
      const { status, headers, text } = await ask("POST", "/api/v1/namespaces/a/pods", pod);
      expect([status, headers.get("warning")], text).toEqual([key.startsWith("_") ? 422 : 201, null]);
    },
  );

  test.each(KEYS)("are no content types: %s", async (type) => {
    await ask("POST", CONFIG_MAPS, configMap("typed"));
    expect((await ask("PATCH", `${CONFIG_MAPS}/typed`, "{}", { type })).status).toBe(415);
    expect((await ask("POST", CONFIG_MAPS, configMap("other"), { type })).status).toBe(415);
  });

  test.each(KEYS)("are no roles: %s", async (kind) => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/a/rolebindings";
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name: "x" };
    const binding = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "b" },
      roleRef,
    };
    expect((await ask("POST", rbac, binding)).status).toBe(422);
  });

  test("may be properties of a custom kind", async () => {
    const schema = `{"type":"object","properties":{"spec":{"type":"object","properties":{"__proto__":{"type":"string","default":"own"},"constructor":{"type":"string"}},"additionalProperties":false}}}`;
    const crd = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"odds.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"odds","kind":"Odd"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}]}}`;
    const { status } = await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
    expect([201, 422]).toContain(status);
    await server.expectWell();
  });
});
