// `egret requests --webhooks` against the built server: the calls, and a review that can be replayed.
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { type EgretProcess, runEgret, startEgret } from "../support/egret-process.ts";
import { WebhookServer } from "../unit/apiserver/apiextensions/webhook-server.ts";

let folder: string;
let kubeconfig: string;
let server: EgretProcess;
let webhook: WebhookServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-webhook-calls-"));
  kubeconfig = join(folder, "kubeconfig");
  webhook = await WebhookServer.open();
  server = await startEgret(["--in-memory", "--controllers", "", "--kubeconfig", kubeconfig]);
  await post("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
    metadata: { name: "pods" },
    webhooks: [
      {
        ...{ name: "m.example.com", sideEffects: "None", admissionReviewVersions: ["v1"] },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
      },
    ],
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await webhook?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  webhook.reviews.length = 0;
  await egret("--webhooks", "--clear");
});

const egret = (...words: string[]) =>
  runEgret(["requests", ...words], { env: { EGRET_KUBECONFIG: kubeconfig } });
const post = (path: string, body: object) =>
  fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const create = (name: string) =>
  post("/api/v1/namespaces/default/configmaps", { metadata: { name }, data: { a: "1" } });

function respond(response: object): void {
  webhook.answer = ({ request: { uid } }) => ({
    body: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, ...response } },
  });
}

test("prints each call with its verdict, and a patch as a diff", async () => {
  const operations =
    '[{"op":"replace","path":"/data/a","value":"2"},{"op":"add","path":"/data/b","value":"3"}]';
  respond({ allowed: true, patchType: "JSONPatch", patch: Buffer.from(operations).toString("base64") });
  expect((await create("changed")).status).toBe(201);
  respond({ allowed: false, status: { code: 403, message: "not like that" }, warnings: ["careful"] });
  expect((await create("denied")).status).toBe(403);
  const { code, stdout } = await egret("--webhooks");
  expect(code).toBe(0);
  const shown = stdout.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME").replace(/[\d.]+ ms/g, "N ms");
  expect(shown).toMatch(
    /^\d+ {2}TIME {2}m\.example\.com \(mutating\) {2}N ms {2}allowed {2}CREATE configmaps default\/changed\n {4}- data\.a: "1"\n {4}\+ data\.a: "2"\n {4}\+ data\.b: "3"\n\d+ {2}TIME {2}m\.example\.com \(mutating\) {2}N ms {2}denied {2}CREATE configmaps default\/denied\n {4}403: admission webhook "m\.example\.com" denied the request: not like that\n {4}warning: careful\n$/,
  );
  expect((await egret("--webhooks", "--verdict", "denied")).stdout.split("\n")).toHaveLength(4);
});

test("prints the review as it was sent, as YAML and for curl", async () => {
  respond({ allowed: true });
  await create("one");
  await create("two");
  const yaml = (await egret("--webhooks", "--name", "one", "-o", "yaml")).stdout;
  expect(parse(yaml)).toEqual(webhook.reviews[0]);
  expect((await egret("--webhooks", "-o", "yaml")).stdout.split("---\n")).toHaveLength(2);
  const { stdout } = await egret("--webhooks", "-o", "review");
  expect(JSON.parse(stdout)).toEqual(webhook.reviews[1]);
  expect(await send(stdout)).toMatchObject({ response: { allowed: true } });
  expect(webhook.reviews[2]).toEqual(webhook.reviews[1]);
});

/** As curl sends it. */
function send(body: string): Promise<unknown> {
  const ca = Buffer.from(webhook.caBundle, "base64");
  const headers = { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(
      webhook.url,
      { method: "POST", headers, agent: new Agent({ ca, keepAlive: false }) },
      (response) => resolve(json(response)),
    );
    sent.on("error", reject).end(body);
  });
}

test.each([
  [["--webhooks", "--verb", "create"], "--verb goes without --webhooks"],
  [["--verdict", "denied"], "--verdict goes with --webhooks"],
  [["-o", "yaml"], "-o yaml goes with --webhooks"],
  [["--webhooks", "--clear", "--name", "x"], "--clear forgets all calls, so it goes with no filter"],
  [["--webhooks", "-o", "review"], "no webhook was called in a request that the filters let pass"],
])("%s is refused", async (words, why) => {
  const { code, stderr } = await egret(...words);
  expect(code).not.toBe(0);
  expect(stderr).toContain(why);
});
