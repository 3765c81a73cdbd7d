// A written object must be the one that the URL names: the errors if it is not, and their order.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configMap, JSON_PATCH, MERGE_PATCH, TestApi } from "../support.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const WRONG_NAMESPACE =
  "the namespace of the provided object does not match the namespace sent on the request";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post(CONFIG_MAPS, configMap("c"));
});
afterEach(() => api[Symbol.asyncDispose]());

const elsewhere = (name: string) => configMap(name, {}, { namespace: "other" });
const refused = { status: 400, body: { message: WRONG_NAMESPACE } };

describe("a wrong namespace is told", () => {
  test("before a wrong name", async () => {
    expect(await api.put(`${CONFIG_MAPS}/c`, elsewhere("d"))).toMatchObject(refused);
    expect(await api.patch(MERGE_PATCH, `${CONFIG_MAPS}/c`, elsewhere("d"))).toMatchObject(refused);
    expect(await api.apply("m", `${CONFIG_MAPS}/c`, elsewhere("d"))).toMatchObject(refused);
    const operations = ["name", "namespace"].map((key) => ({
      op: "replace",
      path: `/metadata/${key}`,
      value: "other",
    }));
    expect(await api.patch(JSON_PATCH, `${CONFIG_MAPS}/c`, operations)).toMatchObject(refused);
  });

  test("of an object that is not there, where the whole object is sent", async () => {
    expect(await api.put(`${CONFIG_MAPS}/none`, elsewhere("none"))).toMatchObject(refused);
    expect(await api.apply("m", `${CONFIG_MAPS}/none`, elsewhere("none"))).toMatchObject(refused);
    expect(await api.patch(MERGE_PATCH, `${CONFIG_MAPS}/none`, elsewhere("none"))).toMatchObject({
      status: 404,
    });
  });

  test("of a Scale", async () => {
    const labels = { a: "b" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    await api.post(DEPLOYMENTS, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { selector: { matchLabels: labels }, template },
    });
    const metadata = { name: "e", namespace: "other" };
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas: 2 } };
    expect(await api.put(`${DEPLOYMENTS}/d/scale`, scale)).toMatchObject(refused);
    expect(await api.patch(MERGE_PATCH, `${DEPLOYMENTS}/d/scale`, { metadata })).toMatchObject(refused);
    expect(await api.apply("m", `${DEPLOYMENTS}/d/scale`, scale, "&force=true")).toMatchObject(refused);
  });
});

test("a wrong name is told where the namespace is right or not said", async () => {
  const message = "the name of the object (d) does not match the name on the URL (c)";
  for (const object of [configMap("d"), configMap("d", {}, { namespace: "default" })]) {
    expect(await api.put(`${CONFIG_MAPS}/c`, object)).toMatchObject({ status: 400, body: { message } });
  }
});
