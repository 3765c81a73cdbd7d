// The webhook with a server of its own: its changes, its denials, and its calls.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServingCertificate, type EgretServer, startEgret } from "egret-apiserver/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { labelWebhook } from "./label-webhook.ts";

const { cert, key, caBundle } = createServingCertificate();
const webhook = labelWebhook(cert, key);
let server: EgretServer;

beforeAll(async () => {
  webhook.listen(0, "127.0.0.1");
  await once(webhook, "listening");
  const { port } = webhook.address() as AddressInfo;
  server = await startEgret({ controllers: [] });
  await server.client.create({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "labels" },
    webhooks: [
      {
        name: "labels.shop.example",
        clientConfig: { url: `https://127.0.0.1:${port}/label`, caBundle },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
});
beforeEach(() => server.webhookCalls.clear());
afterAll(async () => {
  await server?.close();
  webhook.close();
});

const createMap = (name: string, annotations: Record<string, string> = {}) =>
  server.client.create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", annotations },
  });

test("labels what is created", async () => {
  const { metadata } = await createMap("prices");
  expect(metadata.labels).toEqual({ team: "shop" });
  expect(server.webhookCalls.entries()).toMatchObject([
    { webhook: "labels.shop.example", verdict: "allowed", changes: [{ path: "metadata.labels" }] },
  ]);
});

test("denies what belongs to no team", async () => {
  const created = createMap("lost", { "shop.example/team": "none" });
  await expect(created).rejects.toThrow("denied the request: each ConfigMap belongs to a team");
  expect(server.webhookCalls.entries({ verdict: "denied" })).toHaveLength(1);
});

test("is called in a dry run as well", async () => {
  const url = `${server.url}/api/v1/namespaces/default/configmaps?dryRun=All`;
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "dry" } });
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  expect(await response.json()).toMatchObject({ metadata: { labels: { team: "shop" } } });
  expect(server.webhookCalls.entries()).toMatchObject([{ dryRun: true }]);
});
