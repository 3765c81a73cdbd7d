// The scenarios of EgressServices, by their numbers.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EGRESS_SERVICES, egressServiceObject, matching, PREFIX, ServiceCluster } from "./support.ts";

let cluster: ServiceCluster;
afterEach(() => cluster.stop());

describe("at the start", () => {
  test("50: labels of services that are gone, on wrong nodes or without a node of their own go; right and foreign ones stay", async () => {
    cluster = await ServiceCluster.start();
    await cluster.addService("right", ["n1"]);
    await cluster.addService("network", ["n1"]);
    await cluster.restart(async () => {
      const { client } = cluster;
      await client.create(EGRESS_SERVICES, egressServiceObject("right", {}, { host: "n1" }));
      await client.create(
        EGRESS_SERVICES,
        egressServiceObject("network", { sourceIPBy: "Network" }, { host: "ALL" }),
      );
      const labels = (...names: string[]) =>
        Object.fromEntries(names.map((name) => [`${PREFIX}/testns-${name}`, ""]));
      const merge = (name: string, given: object) =>
        client.patch(
          { group: "", version: "v1", resource: "nodes" },
          { namespace: "", name },
          { type: "merge", body: { metadata: { labels: given } } },
        );
      await merge("n1", { ...labels("right", "gone", "network"), "mine/own": "x" });
      await merge("n2", labels("right"));
    });
    expect(await cluster.labels()).toEqual(["n1: testns-right"]);
    expect([await cluster.host("right"), await cluster.host("network")]).toEqual(["n1", "ALL"]);
    const [n1] = (await cluster.client.list({ group: "", version: "v1", resource: "nodes" })).items;
    expect(n1?.metadata.labels).toMatchObject({ "mine/own": "x", firstName: "Albus" });
  });

  test("51: without its Service the host is emptied; one by network gets every host", async () => {
    cluster = await ServiceCluster.start();
    await cluster.addService("network", []);
    await cluster.restart(async () => {
      await cluster.client.create(EGRESS_SERVICES, egressServiceObject("lost", {}, { host: "n1" }));
      await cluster.client.create(
        EGRESS_SERVICES,
        egressServiceObject("network", { sourceIPBy: "Network" }, { host: "n1" }),
      );
    });
    expect([await cluster.host("lost"), await cluster.host("network")]).toEqual(["", "ALL"]);
  });
});

describe("the choice of a node", () => {
  beforeEach(async () => {
    cluster = await ServiceCluster.start();
  });

  test("52: host and label follow the selector, the kind of source address and the object", async () => {
    await cluster.addService("svc1", ["n1"]);
    await cluster.addService("svc2", ["n1"]);
    await cluster.add("svc1", matching({ firstName: "Albus" }));
    expect([await cluster.host("svc1"), await cluster.labels()]).toEqual(["n1", ["n1: testns-svc1"]]);
    await cluster.change("svc1", { spec: { sourceIPBy: "Network" } });
    expect([await cluster.host("svc1"), await cluster.labels()]).toEqual(["ALL", []]);
    await cluster.add("svc2", matching({ firstName: "Severus" }));
    expect([await cluster.host("svc2"), await cluster.labels()]).toEqual(["n2", ["n2: testns-svc2"]]);
    await cluster.change("svc2", { spec: matching({ firstName: "Albus" }) });
    expect([await cluster.host("svc2"), await cluster.labels()]).toEqual(["n1", ["n1: testns-svc2"]]);
    await cluster.delete("svc2");
    expect(await cluster.labels()).toEqual([]);
  });

  test.each([
    ["key", { "a b": "x" }],
    ["value", { firstName: "a b" }],
  ])("53: an illegal label %s in the selector gives neither host nor label", async (_what, labels) => {
    await cluster.addService("svc1", ["n1"]);
    await cluster.add("svc1", matching(labels));
    expect([(await cluster.host("svc1")) ?? "", await cluster.labels()]).toEqual(["", []]);
  });

  test("54: with a local traffic policy the node needs an endpoint as well", async () => {
    await cluster.addService("svc1", ["n2"], { local: true });
    await cluster.add("svc1", matching({ firstName: "Albus" }));
    expect([(await cluster.host("svc1")) ?? "", await cluster.labels()]).toEqual(["", []]);
    await cluster.setEndpoints("svc1", ["n2", "n1"]);
    expect([await cluster.host("svc1"), await cluster.labels()]).toEqual(["n1", ["n1: testns-svc1"]]);
    await cluster.setEndpoints("svc1", ["n2"]);
    expect([await cluster.host("svc1"), await cluster.labels()]).toEqual(["", []]);
  });

  test("55: services leave a node that is not ready or gone; waiting ones get a node that comes to match; labels set by hand go", async () => {
    await cluster.addService("svc1", ["n1"]);
    await cluster.addService("svc2", ["n1"]);
    await cluster.add("svc1", matching({ firstName: "Albus" }));
    await cluster.add("svc2", matching({ firstName: "Harry" }));
    expect(await cluster.labels()).toEqual(["n1: testns-svc1"]);
    await cluster.ready("n1", false);
    expect([await cluster.host("svc1"), await cluster.labels()]).toEqual(["", []]);
    await cluster.labelNode("n2", { firstName: "Harry" });
    expect([await cluster.host("svc2"), await cluster.labels()]).toEqual(["n2", ["n2: testns-svc2"]]);
    await cluster.labelNode("n1", { [`${PREFIX}/testns-svc2`]: "" });
    await cluster.labelNode("n2", { [`${PREFIX}/testns-bogus`]: "", [`${PREFIX}/other`]: "x" });
    expect(await cluster.labels()).toEqual(["n2: testns-svc2"]);
    await cluster.deleteNode("n2");
    expect([await cluster.host("svc2"), await cluster.labels()]).toEqual(["", []]);
  });

  test("56: a node that does not answer is drained, and has the service back when it answers again", async () => {
    await cluster.addService("svc1", ["n1"]);
    await cluster.add("svc1", matching({ firstName: "Albus" }));
    await cluster.reachable("n1", "false");
    expect(await cluster.host("svc1")).toBe("n1");
    await cluster.check();
    expect([await cluster.host("svc1"), await cluster.labels()]).toEqual(["", []]);
    await cluster.reachable("n1", null);
    expect(await cluster.host("svc1")).toBe("");
    await cluster.check();
    expect([await cluster.host("svc1"), await cluster.labels()]).toEqual(["n1", ["n1: testns-svc1"]]);
  });
});
