// An apply at one version releases the fields that the manager has applied at another one, where a conversion webhook
// turns a map into a list.
import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { crdOf, TestApi, versionWith } from "../endpoints/support.ts";
import { converted, type Review, WebhookServer } from "./webhook-server.ts";

const TEXT = { type: "string" };
const things = (version: string) => `/apis/example.com/${version}/namespaces/default/things`;
const LIST = {
  type: "object",
  properties: {
    args: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "value"],
      items: { type: "object", required: ["name", "value"], properties: { name: TEXT, value: TEXT } },
    },
  },
};
const MAP = { type: "object", properties: { args: { type: "object", additionalProperties: TEXT } } };

type Items = readonly { readonly name: string; readonly value: string }[];

/** v1 has a list of names and values, v1beta1 a map. */
function convert({ request }: Review): { body: unknown } {
  const { desiredAPIVersion: apiVersion, uid } = request;
  const objects = request.objects.map((object) => {
    const { args } = (object["spec"] ?? {}) as { args?: Items & Record<string, string> }; // either of both
    if (object["apiVersion"] === apiVersion || args === undefined) return { ...object, apiVersion };
    const next = apiVersion.endsWith("v1beta1")
      ? Object.fromEntries(args.map(({ name, value }) => [name, value]))
      : Object.entries<string>(args).map(([name, value]) => ({ name, value }));
    return { ...object, apiVersion, spec: { args: next } };
  });
  return { body: converted(uid, objects) };
}

async function open(webhook: WebhookServer): Promise<TestApi> {
  webhook.answer = convert;
  const api = await TestApi.open();
  const crd = crdOf([versionWith(LIST), versionWith(MAP, { name: "v1beta1", storage: false })]);
  const clientConfig = { url: webhook.url, caBundle: webhook.caBundle };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  expect((await api.serve({ ...crd, spec: { ...(crd["spec"] as JsonObject), conversion } })).status).toBe(
    201,
  );
  return api;
}

const thing = (version: string, more: JsonObject): JsonObject => ({
  apiVersion: `example.com/${version}`,
  kind: "Thing",
  metadata: { name: "a" },
  ...more,
});
const list = (...names: readonly string[]): JsonObject => ({
  spec: { args: names.map((name) => ({ name, value: name })) },
});

test.each([false, true])("with another manager at the older version: %s", async (hasOther) => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  const apply = async (manager: string, version: string, more: JsonObject) => {
    const { status, body } = await api.apply(
      manager,
      `${things(version)}/a`,
      thing(version, more),
      "&force=true",
    );
    expect(status).toBeLessThan(300);
    return body["spec"];
  };
  await apply("one", "v1beta1", { spec: { args: { a: "a", b: "b", c: "c" } } });
  if (hasOther) await apply("two", "v1beta1", { metadata: { name: "a", labels: { l: "1" } } });
  expect(await apply("one", "v1", list("a", "b"))).toEqual(list("a", "b")["spec"]);
  expect(await apply("one", "v1", list("a"))).toEqual(list("a")["spec"]);
});

test("what another manager owns at its version stays", async () => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  const apply = async (manager: string, version: string, more: JsonObject) =>
    (await api.apply(manager, `${things(version)}/a`, thing(version, more), "&force=true")).body["spec"];
  await apply("one", "v1beta1", { spec: { args: { a: "a", b: "b" } } });
  await apply("two", "v1beta1", { spec: { args: { b: "b" } } });
  expect(await apply("one", "v1", list("a"))).toEqual(list("a", "b")["spec"]);
});

test("a conversion that fails while fields are removed is named, and nothing is changed", async () => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  await api.apply(
    "one",
    `${things("v1beta1")}/a`,
    thing("v1beta1", { spec: { args: { a: "a", b: "b" } } }),
    "",
  );
  const calls = { count: 0 };
  webhook.answer = (review) => {
    calls.count++;
    return calls.count > 2 ? { status: 500, body: "broken" } : convert(review);
  };
  const { status, body } = await api.apply("one", `${things("v1")}/a`, thing("v1", list("a")), "");
  expect(status).toBe(500);
  expect(body["message"]).toMatch(/^failed to prune fields: failed to .*: conversion webhook for .* failed/);
  webhook.answer = convert;
  expect((await api.get(`${things("v1")}/a`)).body["spec"]).toEqual(list("a", "b")["spec"]);
});
