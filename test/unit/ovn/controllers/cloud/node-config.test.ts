import { afterEach, describe, expect, test } from "vitest";
import type { Platform } from "../../../../../src/controller/emulated-release.ts";
import { nodeObject } from "../../../kube/controllers/support.ts";
import { CloudWorld } from "./support.ts";

let world: CloudWorld;
afterEach(() => world.stop());

const TAINT = { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" };
const DUAL = { ipv4: "10.0.128.7/18", ipv6: "fd00:1::7/64" };
const IFADDR = { ipv4: "10.0.128.0/18", ipv6: "fd00:1::/64" };

describe("egress-ipconfig of a new node", () => {
  test.each<[Platform, RegExp, unknown]>([
    ["aws", /^eni-[0-9a-f]{17}$/, { ipv4: 14, ipv6: 14 }],
    ["azure", /^\/n-nic$/, { ip: 254 }],
    ["gcp", /^nic0$/, { ip: 100 }],
    ["openstack", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, { ip: 8 }],
  ])("%s writes it by its rules", async (platform, name, capacity) => {
    world = await CloudWorld.start(platform, []);
    await world.addNode("n", DUAL);
    const config = await world.egressIpConfig("n");
    expect(config).toEqual([{ interface: expect.stringMatching(name), ifaddr: IFADDR, capacity }]);
  });

  test.each([
    ["m5.large", 9],
    ["t3.micro", 1],
    ["m6i.16xlarge", 49],
    ["c5.metal", 49],
    ["strange", 14],
  ])("aws: an instance of type %s takes %d addresses of a family", async (type, capacity) => {
    world = await CloudWorld.start("aws", []);
    await world.addNode("n", {
      ipv4: "10.0.0.7/16",
      labels: { "node.kubernetes.io/instance-type": type },
    });
    expect(await world.egressIpConfig("n")).toMatchObject([
      { ifaddr: { ipv4: "10.0.0.0/16" }, capacity: { ipv4: capacity, ipv6: capacity + 1 } },
    ]);
  });

  test("comes when the node is initialised", async () => {
    world = await CloudWorld.start("gcp", []);
    await world.addNode("n", DUAL, { spec: { taints: [TAINT] } });
    expect(await world.egressIpConfig("n")).toBeUndefined();
    await world.patchNode("n", { spec: { taints: null } });
    expect(await world.egressIpConfig("n")).toMatchObject([{ interface: "nic0" }]);
  });

  test.each(["x", "{}", '{"ipv4":"10.0.0.1"}', "7"])(
    "comes when the node's address can be read, not with %s",
    async (text) => {
      world = await CloudWorld.start("gcp", []);
      const { metadata } = nodeObject("n", DUAL);
      const annotations = { ...metadata.annotations, "k8s.ovn.org/node-primary-ifaddr": text };
      await world.addNode("n", DUAL, { metadata: { ...metadata, annotations } });
      expect(await world.egressIpConfig("n")).toBeUndefined();
      await world.patchNode("n", {
        metadata: { annotations: { "k8s.ovn.org/node-primary-ifaddr": '{"ipv4":"10.0.0.1/8"}' } },
      });
      expect(await world.egressIpConfig("n")).toMatchObject([{ ifaddr: { ipv4: "10.0.0.0/8" } }]);
    },
  );

  test("that somebody has set stays as it is", async () => {
    world = await CloudWorld.start("gcp", []);
    await world.addNode("n", DUAL);
    const mine = '[{"capacity":{"ip":1}}]';
    await world.patchNode("n", {
      metadata: { annotations: { "cloud.network.openshift.io/egress-ipconfig": mine } },
    });
    await world.restart();
    expect(await world.egressIpConfig("n")).toEqual([{ capacity: { ip: 1 } }]);
  });
});
