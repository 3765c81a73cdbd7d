// An administrator deletes a CloudPrivateIPConfig (src/ovn/rules.md R103). The newest profile reassigns its EgressIP at
// once. OpenShift 4.13 removes the status item, and reassigns when the EgressIP changes.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PROFILES } from "../../../../../src/controller/emulated-release.ts";
import type { Cluster } from "../../../kube/controllers/support.ts";
import { assigned, CloudCluster, IP1, IP2 } from "./cloud-cluster.ts";

let cloud: CloudCluster;
let cluster: Cluster;
afterEach(() => cluster.stop());

describe.each(PROFILES)("in %s", (profile) => {
  const isOlder = profile === "openshift-4.13";

  beforeEach(async () => {
    cloud = await CloudCluster.start(profile);
    cluster = cloud.cluster;
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
  });

  test("a granted address loses its item, and since that is a change it is asked for anew", async () => {
    await cloud.grant(IP1, "n1");
    await cloud.remove(IP1);
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[], [`${IP1}@n1 of e`]]);
    await cloud.grant(IP1, "n1");
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });

  describe("an address of which the cloud has spoken, but has not granted it,", () => {
    beforeEach(async () => {
      await cluster.setSpec("e", [IP1, IP2]);
      await cloud.grant(IP1, "n1");
      await cloud.answer(IP2, "n2", assigned("Unknown"));
      await cloud.remove(IP2);
    });

    test(isOlder ? "is not asked for again by itself" : "is asked for again", async () => {
      const again = isOlder ? [] : [`${IP2}@n2 of e`];
      expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`, ...again]);
    });

    test("is asked for once the EgressIP changes", async () => {
      await cluster.touch("e");
      expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`, `${IP2}@n2 of e`]);
    });
  });
});
