// EgressFirewalls in OpenShift 4.13: src/ovn/rules.md R134.
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ResourceName } from "../../../../../src/controller/client.ts";
import type { Controller } from "../../../../../src/controller/definition.ts";
import { centralFirewall } from "../../../../../src/ovn/controllers/zones/controller.ts";
import { FakeClient } from "../../../../support/fake-client.ts";
import { keptLog, ManualClock, NODES, nodeObject } from "../../../kube/controllers/support.ts";

const FIREWALLS: ResourceName = { group: "k8s.ovn.org", version: "v1", resource: "egressfirewalls" };
const KEY = { namespace: "web", name: "default" };
const APPLIED = { status: "EgressFirewall Rules applied" };
const NOT_ADDED = { status: "EgressFirewall Rules not correctly added" };

let client: FakeClient;
let controller: Controller;
const abort = new AbortController();

beforeEach(async () => {
  client = new FakeClient();
  controller = centralFirewall.create({ client, clock: new ManualClock(), log: keptLog() });
  await controller.start(abort.signal);
});
afterEach(() => controller.stop());

async function firewall(...destinations: object[]): Promise<void> {
  await client.create(FIREWALLS, {
    apiVersion: "k8s.ovn.org/v1",
    kind: "EgressFirewall",
    metadata: KEY,
    spec: { egress: destinations.map((to) => ({ type: "Allow", to })) },
  });
  await controller.idle();
}
const status = async () => (await client.get(FIREWALLS, KEY))["status"];
const updates = () => client.writes.filter(({ verb }) => verb === "update").length;

test("rules that can be put into force are said to be, once", async () => {
  await firewall({ cidrSelector: "192.0.2.0/24" }, { dnsName: "www.example.com" });
  expect(await status()).toEqual(APPLIED);
  await client.patch(FIREWALLS, KEY, { type: "merge", body: { metadata: { labels: { a: "b" } } } });
  await controller.idle();
  expect(updates()).toBe(1);
});

test("one bad rule is one too many, and it can be mended", async () => {
  await firewall({ cidrSelector: "192.0.2.0/24" }, { cidrSelector: "192.0.2.0/33" });
  expect(await status()).toEqual(NOT_ADDED);
  const spec = { egress: [{ type: "Deny", to: { cidrSelector: "0.0.0.0/0" } }] };
  await client.patch(FIREWALLS, KEY, { type: "merge", body: { spec } });
  await controller.idle();
  expect(await status()).toEqual(APPLIED);
});

test("a rule about nodes is looked at anew when a node changes", async () => {
  await firewall({ nodeSelector: { matchLabels: { role: "db" } } });
  expect(await status()).toEqual(APPLIED);
  await client.create(NODES, nodeObject("n1", { labels: { role: "db" }, hosts: "not read" }));
  await controller.idle();
  expect(await status()).toEqual(NOT_ADDED);
});

test("a firewall that goes is left alone", async () => {
  await firewall({ cidrSelector: "192.0.2.0/24" });
  await client.delete(FIREWALLS, KEY);
  await controller.idle();
  expect(updates()).toBe(1);
});
