import { afterEach, expect, test, vi } from "vitest";
import { readNodeState } from "../../../../src/controllers/egressip/node-state.ts";
import type { KubeObject } from "../../../../src/meta/object-meta.ts";

const OPTIONS = { requireNodeSubnets: false, onCloud: true, hostCidrs: true };
const CLOUD = "cloud.network.openshift.io/egress-ipconfig";
const config = (network: string) => JSON.stringify([{ ifaddr: { ipv4: network }, capacity: {} }]);
const GIVEN = {
  "k8s.ovn.org/node-primary-ifaddr": '{"ipv4":"192.168.126.11/24"}',
  "k8s.ovn.org/host-cidrs": '["192.168.126.11/24","10.0.0.1/8"]',
  "k8s.ovn.org/node-subnets": '{"default":"10.128.0.0/24"}',
  [CLOUD]: config("192.168.126.0/24"),
};

/** As each event brings it: an object of its own, and texts of their own. */
const nodeWith = (annotations: Readonly<Record<string, string>>): KubeObject =>
  JSON.parse(JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "n1", annotations } }));

afterEach(() => vi.restoreAllMocks());

test("annotations that say the same as before are not read again", () => {
  const first = readNodeState(nodeWith(GIVEN), undefined, OPTIONS);
  expect(first.known).toBe(true);
  const again = nodeWith(GIVEN);
  const changed = nodeWith({ ...GIVEN, [CLOUD]: config("172.16.0.0/12") });
  const parse = vi.spyOn(JSON, "parse");
  expect(readNodeState(again, first, OPTIONS)).toEqual(first);
  expect(parse).not.toHaveBeenCalled();
  const second = readNodeState(changed, first, OPTIONS);
  expect(parse).toHaveBeenCalledOnce();
  expect(second.primary).not.toEqual(first.primary);
  expect(readNodeState(again, second, OPTIONS).primary).toEqual(first.primary);
});

test("one that cannot be read keeps what it said last, however often it is seen", () => {
  const first = readNodeState(nodeWith(GIVEN), undefined, OPTIONS);
  const broken = nodeWith({ ...GIVEN, "k8s.ovn.org/host-cidrs": "{", [CLOUD]: "[" });
  const second = readNodeState(broken, first, OPTIONS);
  expect(second.hostAddresses).toBeUndefined();
  expect(second.primary).toEqual(first.primary);
  const third = readNodeState(broken, second, OPTIONS);
  expect(third).toEqual(second);
  const mended = readNodeState(nodeWith(GIVEN), third, OPTIONS);
  expect(mended.hostAddresses).toEqual(["192.168.126.11", "10.0.0.1"]);
});
