// Virtual resources: their objects are computed for each request and not stored.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { TestApi } from "../support.ts";

const PATH = "/api/v1/componentstatuses";
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const METADATA = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

it("are got by name", async () => {
  const { status, body } = await api.get(`${PATH}/etcd-0`);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      kind: "ComponentStatus",
      apiVersion: "v1",
      metadata: { name: "etcd-0" },
      conditions: [{ type: "Healthy", status: "True", message: "ok" }],
    },
  });
  const missing = await api.get(`${PATH}/none`);
  expect([missing.status, missing.body["message"]]).toEqual([404, 'componentstatuses "none" not found']);
});

it.each([
  ["", ["controller-manager", "etcd-0", "scheduler"]],
  ["?fieldSelector=metadata.name=scheduler", ["scheduler"]],
  ["?labelSelector=a", []],
])("are listed without a revision: %s", async (query, names) => {
  const { body } = await api.get(PATH + query);
  expect(body).toMatchObject({ kind: "ComponentStatusList", apiVersion: "v1", metadata: {} });
  const items = body["items"] as JsonObject[];
  expect(items.map((item) => (item["metadata"] as JsonObject)["name"])).toEqual(names);
  for (const item of items) expect(item).not.toHaveProperty("kind");
});

it("are shown as tables", async () => {
  const { body } = await api.get(PATH, TABLE);
  const cells = (body["rows"] as JsonObject[]).map((row) => row["cells"]);
  expect(cells[1]).toEqual(["etcd-0", "Healthy", "ok", ""]);
  expect((await api.get(PATH, METADATA)).status).toBe(406);
});

it("can only be read", async () => {
  const object = { apiVersion: "v1", kind: "ComponentStatus", metadata: { name: "x" } };
  expect((await api.post(PATH, object)).status).toBe(405);
  expect((await api.get(`${PATH}?watch=true`)).status).toBe(405);
  expect((await api.send("DELETE", `${PATH}/etcd-0`)).status).toBe(405);
});
