// HTTP behavior common to all requests: methods, media types, content negotiation and status codes, over a real socket.
import request from "supertest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../src/server/server.ts";

const EIPS = "/apis/k8s.ovn.org/v1/egressips";
const MAPS = "/api/v1/namespaces/default/configmaps";
const PROTOBUF = "application/vnd.kubernetes.protobuf";
const eip = {
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressIP",
  metadata: { name: "here" },
  spec: { egressIPs: ["192.0.2.1"], namespaceSelector: {} },
};

let server: Server;
beforeAll(async () => {
  server = await createServer({
    listen: "127.0.0.1:0",
    inMemory: true,
    kubeconfig: undefined,
    controllers: "namespace",
  });
  await api("post", EIPS).send(eip).expect(201);
});
afterAll(() => server?.close());

type Method = "get" | "head" | "post" | "put" | "patch" | "delete" | "options";
const api = (method: Method, path: string) => request(server.url)[method](path);

const READ = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const failure = (code: number, reason: string, message: unknown, details?: object) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason,
  ...(details ? { details } : {}),
  code,
});

describe("the form of an answer", () => {
  test.each([
    ["nothing", "", "application/json"],
    ["anything", "*/*", "application/json"],
    ["any application", "application/*", "application/json"],
    ["JSON with parameters", "application/json;charset=utf-8", "application/json"],
    ["YAML", "application/yaml", "application/yaml"],
    ["the first that is served", "text/html, application/yaml, application/json", "application/yaml"],
    ["the one that is liked best", "application/yaml;q=0.1,application/json;q=0.9", "application/json"],
  ])("asked for as %s", async (_what, accept, type) => {
    await api("get", `${EIPS}/here`).set("accept", accept).expect(200).expect("content-type", type);
  });

  test.each([
    ["of a custom kind", `${EIPS}/here`, "text/html", `only the following media types are accepted: ${READ}`],
    [
      "of a built-in kind",
      MAPS,
      "text/html",
      /^406: Not Acceptable\n\nAvailable representations: application\/json/,
    ],
    [
      "in a view that there is not",
      EIPS,
      "application/json;as=Chart;g=meta.k8s.io;v=v1",
      /media types are accepted/,
    ],
  ])("that there is not is refused: %s", async (_what, path, accept, message) => {
    const { body } = await api("get", path).set("accept", accept).expect(406);
    const text = message instanceof RegExp ? expect.stringMatching(message) : message;
    expect(body).toMatchObject(failure(406, "NotAcceptable", text));
  });

  test("is never protobuf for a custom kind", async () => {
    await api("get", EIPS).set("accept", PROTOBUF).expect(406);
    await api("get", EIPS)
      .set("accept", `${PROTOBUF},application/json`)
      .expect(200)
      .expect("content-type", "application/json");
  });

  test("is protobuf for a built-in kind", async () => {
    const { body } = await api("get", MAPS)
      .set("accept", PROTOBUF)
      .responseType("blob") // bytes, in Node
      .expect(200)
      .expect("content-type", PROTOBUF);
    expect(Buffer.from(body).subarray(0, 4).toString("latin1")).toBe("k8s\0");
  });

  test.each([
    ["a Table", "Table", { kind: "Table", apiVersion: "meta.k8s.io/v1" }],
    ["metadata alone", "PartialObjectMetadataList", { kind: "PartialObjectMetadataList" }],
  ])("is %s when asked", async (_what, as, expected) => {
    const { body } = await api("get", EIPS)
      .set("accept", `application/json;as=${as};g=meta.k8s.io;v=v1`)
      .expect(200);
    expect(body).toMatchObject(expected);
  });

  test.each([
    ["curl/8.5.0", "", true],
    ["Mozilla/5.0 (X11; Linux x86_64)", "", true],
    ["Wget/1.21", "", true],
    ["kubectl/v1.36.3", "", false],
    ["kubectl/v1.36.3", "?pretty=true", true],
    ["kubectl/v1.36.3", "?pretty", false],
    ["curl/8.5.0", "?pretty=false", false],
    ["curl/8.5.0", "?pretty=0", false],
  ])("is indented for people: %s%s %s", async (agent, query, isIndented) => {
    const { text } = await api("get", `${EIPS}/here${query}`).set("user-agent", agent).expect(200);
    expect(text.startsWith('{\n  "apiVersion"')).toBe(isIndented);
  });
});

describe("the form of a body", () => {
  test.each(["text/plain", "application/x-www-form-urlencoded", "application/merge-patch+json", "nonsense"])(
    "%s cannot be read",
    async (type) => {
      const { body } = await api("post", EIPS).set("content-type", type).send("x").expect(415);
      const message = `the body of the request was in an unknown format - accepted media types include: ${READ}`;
      expect(body).toEqual(failure(415, "UnsupportedMediaType", message));
    },
  );

  test.each([
    ["application/json; charset=utf-8", JSON.stringify(eip)],
    ["Application/JSON", JSON.stringify(eip)],
    ["application/yaml", JSON.stringify(eip)],
    [
      "application/yaml",
      "apiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata: {generateName: y-}\nspec: {egressIPs: [192.0.2.2], namespaceSelector: {}}\n",
    ],
  ])("%s is read", async (type, text) => {
    await api("post", `${EIPS}?dryRun=All`)
      .set("content-type", type)
      .send(text.replace('"name":"here"', '"generateName":"g-"'))
      .expect(201);
  });

  test("a patch has one of the forms of patches", async () => {
    const patch = (path: string) =>
      api("patch", `${path}/here`).set("content-type", "application/json").send("{}").expect(415);
    const known = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
    expect((await patch(EIPS)).body.message).toContain(`accepted media types include: ${known}`);
    // For a built-in kind the kube-apiserver's router returns this error, because it knows the media types as well.
    expect((await patch(MAPS)).body.message).toBe("415: Unsupported Media Type");
  });

  test("of more than three mebibytes is refused", async () => {
    const data = { a: "x".repeat(3 * 1024 * 1024) };
    const { body } = await api("post", MAPS).send({ apiVersion: "v1", kind: "ConfigMap", data }).expect(413);
    expect(body).toMatchObject({ kind: "Status", reason: "RequestEntityTooLarge", code: 413 });
  });
});

describe("methods", () => {
  test.each<[Method, string, number]>([
    ["head", `${EIPS}/here`, 200],
    ["head", `${EIPS}/nobody`, 404],
    ["head", EIPS, 200],
    ["head", MAPS, 405],
    ["head", "/api/v1", 405],
    ["head", "/apis/k8s.ovn.org", 200],
    ["head", "/healthz", 200],
  ])("%s %s answers %i without a body", async (method, path, code) => {
    const { text } = await api(method, path).expect(code);
    expect(text ?? "").toBe("");
  });

  const plain = "the server does not allow this method on the requested resource";
  const kind = { group: "k8s.ovn.org", kind: "egressips" };
  test.each<[Method, string, number, string, string, object | undefined]>([
    [
      "options",
      `${EIPS}/here`,
      405,
      "MethodNotAllowed",
      ' is not supported on resources of kind "egressips.k8s.ovn.org"',
      kind,
    ],
    ["put", EIPS, 400, "BadRequest", "name must be provided", undefined],
    ["patch", EIPS, 400, "BadRequest", "name must be provided", undefined],
    ["put", MAPS, 405, "MethodNotAllowed", plain, {}],
    ["post", `${MAPS}/here`, 405, "MethodNotAllowed", plain, {}],
    ["options", `${MAPS}/here`, 405, "MethodNotAllowed", plain, {}],
    ["delete", "/api/v1", 405, "MethodNotAllowed", plain, {}],
    ["post", "/version", 405, "MethodNotAllowed", plain, {}],
  ])("%s %s is refused: %i", async (method, path, code, reason, message, details) => {
    const type = method === "patch" ? "application/merge-patch+json" : "application/json";
    const { body } = await api(method, path).set("content-type", type).send("{}").expect(code);
    expect(body).toEqual(failure(code, reason, message, details));
  });
});

describe("what is not there", () => {
  test.each(["/nowhere", "/apis/example.com/v1/things", "/apis/k8s.ovn.org/v1/colours"])(
    "%s is no page",
    async (path) => {
      const { text } = await api("get", path).expect(404).expect("content-type", "text/plain; charset=utf-8");
      expect(text).toBe("404 page not found\n");
    },
  );

  test.each(["/api/v2", "/api/v1/colours", "/apis/apps/v1/colours"])(
    "%s is beside the built-in kinds",
    async (path) => {
      const { body } = await api("get", path).expect(404);
      expect(body).toEqual(failure(404, "NotFound", "the server could not find the requested resource", {}));
    },
  );

  test("an object is told by its resource and name, in the form that was asked for", async () => {
    const details = { name: "nobody", group: "k8s.ovn.org", kind: "egressips" };
    const { body } = await api("get", `${EIPS}/nobody`).expect(404);
    expect(body).toEqual(failure(404, "NotFound", 'egressips.k8s.ovn.org "nobody" not found', details));
    const { text } = await api("get", `${EIPS}/nobody`)
      .set("accept", "application/yaml")
      .expect(404)
      .expect("content-type", "application/yaml");
    expect(text).toMatch(/^apiVersion: v1\ncode: 404\n/);
  });
});

describe("warnings", () => {
  test("come as headers of their own, and quotes in them are escaped", async () => {
    const body = { ...eip, metadata: { name: "warned" }, colour: "blue", spec: { ...eip.spec, size: 1 } };
    const { headers } = await api("post", `${EIPS}?fieldValidation=Warn&dryRun=All`).send(body).expect(201);
    expect(headers["warning"]).toBe(
      '299 - "unknown field \\"colour\\"", 299 - "unknown field \\"spec.size\\""',
    );
  });
});

describe("discovery", () => {
  test("has an ETag, and is not sent again to who has it", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { headers } = await api("get", "/apis").set("accept", accept).expect(200).expect("vary", "Accept");
    const etag = headers["etag"] ?? "";
    expect(etag).toMatch(/^".+"$/);
    const again = await api("get", "/apis").set("accept", accept).set("if-none-match", etag).expect(304);
    expect(again.text).toBe("");
  });

  test("OpenAPI of a group is kept for ever under its hash", async () => {
    const { text } = await api("get", "/openapi/v3")
      .expect(200)
      .expect("content-type", /^text\/plain/);
    const url: string = JSON.parse(text).paths["apis/k8s.ovn.org/v1"].serverRelativeURL;
    expect(url).toMatch(/^\/openapi\/v3\/apis\/k8s\.ovn\.org\/v1\?hash=[0-9A-F]+$/);
    await api("get", url)
      .expect(200)
      .expect("cache-control", /immutable/);
    await api("get", url.replace(/hash=.*/, "hash=0"))
      .expect(301)
      .expect("location", url);
  });
});
