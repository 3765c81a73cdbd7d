// Options that are misspelled, or have a wrong value, are refused: ignored, they would make a test mean something else.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EgretServer } from "../../../src/testing/egret-server.ts";
import { EgretOptionsError, StatusError, startEgret } from "../../../src/testing/start-egret.ts";

let server: EgretServer;
beforeAll(async () => {
  server = await startEgret({ controllers: [] });
});
afterAll(() => server?.close());

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } } as const;
const POD = { kind: "v1/Pod", name: "a" };
const packet = { namespace: "a", pod: "b", to: "192.0.2.1" };

/** With methods as JavaScript calls them. */
// biome-ignore lint/suspicious/noExplicitAny: what the compiler would refuse is what is tested.
type Untyped = any;

test.each<[message: string, call: (server: Untyped) => unknown]>([
  [
    "waitFor has no option timeoutMs; did you mean timeout? There are timeout, signal",
    (it) => it.waitFor(POD, "true", { timeoutMs: 9 }),
  ],
  ["waitFor: the options have to be an object", (it) => it.waitFor(POD, "true", 5_000)],
  [
    "waitFor: timeout has to be a number, 0 or more",
    (it) => it.waitFor(POD, "true", { timeout: Number.POSITIVE_INFINITY }),
  ],
  ["waitFor: signal has to be an AbortSignal", (it) => it.waitFor(POD, "true", { signal: {} })],
  [
    "waitFor: the query object has no option namspace; did you mean namespace? There are kind, name, namespace, " +
      "labelSelector, fieldSelector",
    (it) => it.waitFor({ ...POD, namspace: "b" }, "true"),
  ],
  ["waitFor: the query pods has no kind", (it) => it.waitFor({ pods: { name: "a" } }, "true")],
  ["waitFor: the query knd: the options have to be an object", (it) => it.waitFor({ knd: "v1/Pod" }, "true")],
  ["get has no option ns; there are namespace", (it) => it.client.get("v1/ConfigMap", "a", { ns: "b" })],
  ["find has no option ns; there are namespace", (it) => it.client.find("v1/ConfigMap", "a", { ns: "b" })],
  [
    "list has no option labels; did you mean labelSelector? There are namespace, labelSelector, fieldSelector",
    (it) => it.client.list("v1/ConfigMap", { labels: "a=b" }),
  ],
  ["list: the options have to be an object", (it) => it.client.list("v1/ConfigMap", "kube-system")],
  ["watch: signal has to be an AbortSignal", (it) => it.client.watch("v1/Pod", { signal: "no" })],
  [
    "update has no option resource; there are subresource",
    (it) => it.client.update(configMap, { resource: "" }),
  ],
  ["apply: force has to be true or false", (it) => it.client.apply(configMap, { force: "yes" })],
  [
    'patch: type has to be "json" or "merge" or "strategic"',
    (it) => it.client.patch("v1/ConfigMap", "a", {}, { type: "apply" }),
  ],
  [
    "delete has no option propagation; did you mean propagationPolicy? There are namespace, uid, propagationPolicy",
    (it) => it.client.delete("v1/ConfigMap", "a", { propagation: "Orphan" }),
  ],
  [
    "import has no option secret; did you mean secrets? There are secrets, webhooks",
    (it) => it.import([], { secret: true }),
  ],
  ['reset: to has to be "empty" or "start"', (it) => it.reset({ to: "begin" })],
  [
    "reset has no option watch; did you mean watches? There are watches, to",
    (it) => it.reset({ watch: "expire" }),
  ],
  ['restore: watches has to be "events" or "expire"', (it) => it.restore(it.snapshot(), { watches: "end" })],
  ["plan has no option revision; there are at, platform", (it) => it.plan([], { revision: 5 })],
  [
    'plan: {"delet":"node/a"} has none of apply, delete, label, annotate, patch, notReady, ready',
    (it) => it.plan([{ delet: "node/a" }]),
  ],
  [
    "plan: label has no option label_; did you mean label? There are label, labels",
    (it) => it.plan([{ label: "node/a", label_: {} }]),
  ],
  [
    "trace has no option form; there are namespace, pod, to, protocol, packet, facts",
    (it) => it.trace({ ...packet, form: "ns/a" }),
  ],
  [
    "trace: facts has no option transports; did you mean transport? There are gatewayMode, " +
      "disableSnatMultipleGateways, transport, outboundSnat, advertisedIsolation, dnsNameResolver, names, tables",
    (it) => it.trace({ ...packet, facts: { transports: "none" } }),
  ],
])("%s", async (message, call) => {
  const refused = Promise.resolve().then(() => call(server));
  await expect(refused).rejects.toThrow(new EgretOptionsError(message));
});

test.each<[message: RegExp, call: (server: Untyped) => unknown]>([
  [/^there is no filter resorce; there are verb, group/, (it) => it.requests.entries({ resorce: "pods" })],
  [
    /^there is no filter verdikt; there are webhook, /,
    (it) => it.webhookCalls.entries({ verdikt: "denied" }),
  ],
  [/and name, not by ns$/, (it) => it.history.of({ resource: "pods", name: "a", ns: "b" })],
])("%s", async (message, call) => {
  const refused = Promise.resolve().then(() => call(server));
  await expect(refused).rejects.toThrow(StatusError);
  await expect(Promise.resolve().then(() => call(server))).rejects.toThrow(message);
});

test.each<[message: string, options: object]>([
  [
    "startEgret has no option object; did you mean objects? There are objects, controllers, kinds, faults, clock, " +
      "seed, storage, retain, secure, kubeconfig, server",
    { object: [] },
  ],
  [
    "startEgret: server has no option platfrom; did you mean platform? They are named as the flags of egret serve, in " +
      "camel case",
    { server: { platfrom: "aws" } },
  ],
  ["startEgret takes no server.dataDir; storage is an option of its own", { server: { dataDir: "/tmp" } }],
  [
    'startEgret: storage has to be "memory" or { folder: PATH }',
    { storage: { folder: "/tmp/egret-never-made", keep: true } },
  ],
])("%s", async (message, options) => {
  await expect(startEgret(options)).rejects.toThrow(new EgretOptionsError(message));
});

test("options without a value are options that are left out", async () => {
  const options = { timeout: undefined, signal: undefined } as object;
  expect(await server.waitFor(POD, "object == null", options)).toBeNull();
});
