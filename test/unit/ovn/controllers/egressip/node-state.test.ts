import { afterEach, describe, expect, test, vi } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { readCloudConfig, readNodeState } from "../../../../../src/ovn/assignment/node-state.ts";

const OPTIONS = { onCloud: true, hostCidrs: true };
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

test("annotations that recordEvent the same as before are not read again", () => {
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

describe("what a cloud says of a node", () => {
  const entry = (more: object) => ({
    interface: "eni-0",
    ifaddr: { ipv4: "10.0.0.0/24" },
    capacity: {},
    ...more,
  });
  const read = (...entries: unknown[]) => readCloudConfig(JSON.stringify(entries));
  const networks = [expect.objectContaining({ family: 4, prefix: 24 })];
  const unlimited = { total: undefined, ipv4: undefined, ipv6: undefined };

  test.each<[string, object, object]>([
    ["without limits", {}, unlimited],
    ["without a member for them", { capacity: undefined }, unlimited],
    ["with null for them", { capacity: null }, unlimited],
    ["with one limit, which is all of them", { capacity: { ipv4: 5 } }, { total: 5, ipv4: 5, ipv6: 5 }],
    [
      "with several, of which the last counts",
      { capacity: { ip: 9, ipv4: 5, ipv6: 3 } },
      { total: 3, ipv4: 3, ipv6: 3 },
    ],
    ["in other letters", { capacity: { IPv4: 5 } }, { total: 5, ipv4: 5, ipv6: 5 }],
    ["with null for one", { capacity: { ip: null, ipv4: 5 } }, { total: undefined, ipv4: 5, ipv6: 5 }],
    ["of zero", { capacity: { ipv6: 0 } }, { total: 0, ipv4: 0, ipv6: 0 }],
    ["with as many as there can be", { capacity: { ip: 2 ** 31 - 1 } }, unlimited],
    [
      "with almost as many",
      { capacity: { ip: 2 ** 31 - 2 } },
      { total: 2 ** 31 - 2, ipv4: 2 ** 31 - 2, ipv6: 2 ** 31 - 2 },
    ],
    ["with members that mean nothing", { capacity: { other: "x" }, more: 1 }, unlimited],
    ["without an interface", { interface: null }, unlimited],
  ])("%s", (_, more, capacity) => {
    expect(read(entry(more))).toEqual({ networks, capacity });
  });

  test("stands in the first entry, and all have to be readable", () => {
    expect(read(entry({ capacity: { ip: 1 } }), entry({ capacity: { ip: 2 } }))?.capacity.total).toBe(1);
    expect(read(entry({}), { ifaddr: 1 })).toBeUndefined();
  });

  test.each<[string, string | undefined]>([
    ["nothing", undefined],
    ["no JSON", "["],
    ["no list", JSON.stringify(entry({}))],
    ["an empty list", "[]"],
    ["an entry that is no object", "[1]"],
    ["an interface that is no text", JSON.stringify([entry({ interface: 1 })])],
    ["addresses that are no object", JSON.stringify([entry({ ifaddr: "10.0.0.0/24" })])],
    ["an address that is none", JSON.stringify([entry({ ifaddr: { ipv4: "10.0.0.0" } })])],
    ["limits that are no object", JSON.stringify([entry({ capacity: 5 })])],
    ["a limit that is no number", JSON.stringify([entry({ capacity: { ip: "5" } })])],
    ["a limit that is no whole number", JSON.stringify([entry({ capacity: { ip: 1.5 } })])],
  ])("is not read from %s", (_, text) => {
    expect(readCloudConfig(text)).toBeUndefined();
  });
});

describe("a node is known", () => {
  const known = (more: Readonly<Record<string, string>>, options: Partial<typeof OPTIONS> = {}) => {
    const annotations = {
      "k8s.ovn.org/node-primary-ifaddr": GIVEN["k8s.ovn.org/node-primary-ifaddr"],
      ...more,
    };
    return readNodeState(nodeWith(annotations), undefined, { ...OPTIONS, onCloud: false, ...options }).known;
  };
  const subnets = (value: unknown) => ({ "k8s.ovn.org/node-subnets": JSON.stringify(value) });

  test.each<[string, unknown, boolean]>([
    ["one", { default: "10.128.0.0/24" }, true],
    ["one of each family", { default: ["10.128.0.0/24", "fd01::/64"] }, true],
    ["none", { default: [] }, false],
    ["what is no network", { default: "10.128.0.0" }, false],
    ["those of another network", { blue: "10.128.0.0/24" }, false],
    ["a list", ["10.128.0.0/24"], false],
  ])("with subnets that are %s: %j", (_, value, expected) => {
    expect(known(subnets(value))).toBe(expected);
  });

  test("without subnets, and never without an address", () => {
    expect(known({})).toBe(true);
    expect(known({ "k8s.ovn.org/node-primary-ifaddr": "{}" })).toBe(false);
  });

  test("on a cloud once that has spoken as well", () => {
    expect(known({}, { onCloud: true })).toBe(false);
    expect(known({ [CLOUD]: config("192.168.126.0/24") }, { onCloud: true })).toBe(true);
  });
});
