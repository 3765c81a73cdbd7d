// Checks before a connect request succeeds, in the order of a kube-apiserver.
import { afterEach, beforeEach, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { STRATEGIC_PATCH, TestApi } from "../support.ts";

const CORE = "/api/v1/namespaces/default";
const PODS = `${CORE}/pods`;
const UPGRADE = { connection: "Upgrade", upgrade: "SPDY/3.1" };
const NOTHING = /cannot be reached: it is an object alone/;

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

async function make(kind: string, plural: string, name: string, more: JsonObject): Promise<void> {
  const base = kind === "Node" ? "/api/v1" : CORE;
  const answer = await api.post(`${base}/${plural}`, { apiVersion: "v1", kind, metadata: { name }, ...more });
  expect(answer.status).toBe(201);
}

const makePod = (name: string, spec: JsonObject = {}) =>
  make("Pod", "pods", name, { spec: { containers: [{ name: "a", image: "x" }], ...spec } });

const makeNode = async (name: string, addresses: readonly JsonObject[]) => {
  await make("Node", "nodes", name, {});
  const answer = await api.patch(STRATEGIC_PATCH, `/api/v1/nodes/${name}/status`, { status: { addresses } });
  expect(answer.status).toBe(200);
};

async function refusal(url: string, method = "GET", headers = {}): Promise<[number, unknown]> {
  const { status, body } = await api.send(method, url, { headers });
  return [status, body["message"]];
}

test("an object that is missing is not found, whichever way leads there", async () => {
  for (const way of ["log", "exec", "attach", "portforward", "proxy", "proxy/a/b"])
    expect(await refusal(`${PODS}/none/${way}`)).toEqual([404, 'pods "none" not found']);
  expect(await refusal("/api/v1/nodes/none/proxy/x")).toEqual([404, 'nodes "none" not found']);
  expect(await refusal(`${CORE}/services/none/proxy`)).toEqual([404, 'services "none" not found']);
  expect(await refusal(`${CORE}/services/none:80/proxy`, "POST")).toEqual([404, 'services "none" not found']);
});

test("a container has to be one of the pod's, and to be chosen among several", async () => {
  const images = (...names: string[]) => names.map((name) => ({ name, image: "x" }));
  await makePod("p", { containers: images("a", "b"), initContainers: images("i") });
  for (const way of ["log", "exec", "attach"]) {
    expect(await refusal(`${PODS}/p/${way}`)).toEqual([
      400,
      "a container name must be specified for pod p, choose one of: [i a b]",
    ]);
    expect(await refusal(`${PODS}/p/${way}?container=z`)).toEqual([
      400,
      "container z is not valid for pod p",
    ]);
  }
  expect((await api.get(`${PODS}/p/log?container=i`)).status).toBe(204);
});

test("a pod without a node has an empty log and no connections", async () => {
  await makePod("p");
  expect(await api.get(`${PODS}/p/log`)).toMatchObject({ status: 204, text: "" });
  for (const way of ["exec", "attach", "portforward"])
    expect(await refusal(`${PODS}/p/${way}`, "POST")).toEqual([400, "pod p does not have a host assigned"]);
  expect(await refusal(`${PODS}/p/proxy`, "DELETE")).toEqual([400, "address not allowed"]);
});

test("what is asked of a log has to be sensible, before anything is looked up", async () => {
  const ask = (query: string) => refusal(`${PODS}/none/log?${query}`);
  expect(await ask("tailLines=-1&limitBytes=0&sinceSeconds=0&stream=All")).toEqual([
    422,
    'PodLogOptions "none" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0, sinceSeconds: Invalid value: 0: must be greater than 0, stream: Forbidden: may not be specified]',
  ]);
  expect(await ask("sinceSeconds=1&sinceTime=2030-01-01T00:00:00Z")).toEqual([
    422,
    'PodLogOptions "none" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
  ]);
  expect(await ask("tailLines=x")).toEqual([400, 'strconv.ParseInt: parsing "x": invalid syntax']);
  expect(await ask("sinceTime=x")).toEqual([
    400,
    'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  ]);
  expect(await ask("tailLines=1&sinceTime=null")).toEqual([404, 'pods "none" not found']);
});

test("a proxy is asked by any method that HTTP has for it", async () => {
  expect(await refusal(`${PODS}/none/proxy`, "OPTIONS")).toEqual([404, 'pods "none" not found']);
  expect((await api.send("OPTIONS", `${PODS}/none/exec`)).status).toBe(405);
});

test("a node needs an address; behind it nothing runs", async () => {
  await makePod("p", { nodeName: "n" });
  expect(await refusal(`${PODS}/p/exec`)).toEqual([404, 'pods "n" not found']);
  await makeNode("n", []);
  const unknown = [500, "no preferred addresses found; known addresses: []"];
  for (const url of [
    `${PODS}/p/log`,
    `${PODS}/p/exec`,
    `${PODS}/p/portforward`,
    "/api/v1/nodes/n:10250/proxy",
  ])
    expect(await refusal(url)).toEqual(unknown);
  await makeNode("m", [{ type: "InternalIP", address: "10.0.0.1" }]);
  await makePod("q", { nodeName: "m" });
  for (const url of [`${PODS}/q/log`, `${PODS}/q/exec`, `${PODS}/q/portforward`, "/api/v1/nodes/m/proxy"])
    expect(await refusal(url, "GET", UPGRADE)).toEqual([501, expect.stringMatching(NOTHING)]);
});

test.each(["exec", "attach", "portforward"])("%s needs a connection that is upgraded", async (way) => {
  await makeNode("m", [{ type: "InternalIP", address: "10.0.0.1" }]);
  await makePod("q", { nodeName: "m" });
  const required = [400, "Upgrade request required"];
  for (const headers of [{}, { upgrade: "SPDY/3.1" }, { connection: "keep-alive", upgrade: "websocket" }])
    for (const method of ["GET", "POST"])
      expect(await refusal(`${PODS}/q/${way}`, method, headers)).toEqual(required);
  const [status, message] = await refusal(`${PODS}/q/${way}`, "POST", { connection: "close, upgrade" });
  expect([status, message]).toEqual([501, expect.stringMatching(NOTHING)]);
  if (way !== "portforward")
    expect(await refusal(`${PODS}/q/${way}?container=z`)).toEqual([
      400,
      "container z is not valid for pod q",
    ]);
});

test("a service needs endpoints with an address behind the port", async () => {
  await make("Service", "services", "s", { spec: { ports: [{ name: "web", port: 80 }] } });
  await make("Endpoints", "endpoints", "s", {});
  const proxy = (id: string) => refusal(`${CORE}/services/${id}/proxy/path`);
  expect(await proxy("s:81")).toEqual([503, 'no service port 81 found for service "s"']);
  expect(await proxy("s:80")).toEqual([503, 'no endpoints available for service "s"']);
  const subsets = [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ name: "web", port: 8080 }] }];
  expect((await api.patch(STRATEGIC_PATCH, `${CORE}/endpoints/s`, { subsets })).status).toBe(200);
  expect(await proxy("http:s:db")).toEqual([503, 'no endpoints available for service "http:s:db"']);
  for (const id of ["s:80", "s:web", "https:s:web"])
    expect(await proxy(id)).toEqual([501, expect.stringMatching(NOTHING)]);
  expect(await proxy("ftp:s:web")).toEqual([400, 'invalid service request "ftp:s:web"']);
});

test("only proxies are asked by any method and have paths below them", async () => {
  await makePod("p");
  expect((await api.send("PUT", `${PODS}/p/exec`)).status).toBe(405);
  expect((await api.send("POST", `${PODS}/p/log`)).status).toBe(405);
  expect((await api.get(`${PODS}/p/log/x`)).status).toBe(404);
  expect((await api.get(`${PODS}/p/log`, { accept: "x/y" })).status).toBe(406);
  expect((await api.get(`${PODS}/p/exec`, { accept: "x/y" })).status).toBe(400);
  expect((await api.send("HEAD", `${PODS}/p/proxy`)).status).toBe(400);
});
