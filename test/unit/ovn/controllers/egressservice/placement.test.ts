import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { matching, PREFIX, ServiceCluster } from "./support.ts";

let cluster: ServiceCluster;
beforeEach(async () => {
  cluster = await ServiceCluster.start();
});
afterEach(() => cluster.stop());

const everywhere = ["n1", "n2"];

describe("what an EgressService needs (rules 3–6)", () => {
  test("3: without its Service the host is empty, and written so", async () => {
    await cluster.add("svc");
    expect(await cluster.host("svc")).toBe("");
    await cluster.addService("svc", everywhere);
    expect(await cluster.host("svc")).toBe("n1");
    await cluster.deleteService("svc");
    expect([await cluster.host("svc"), await cluster.labels()]).toEqual(["", []]);
  });

  test("5: without an ingress address the host is empty", async () => {
    await cluster.addService("svc", everywhere, { ingress: false });
    await cluster.add("svc");
    expect(await cluster.host("svc")).toBe("");
    await cluster.changeService("svc", {
      status: { loadBalancer: { ingress: [{ hostname: "x.example" }] } },
    });
    expect(await cluster.host("svc")).toBe("n1");
    await cluster.changeService("svc", { status: { loadBalancer: { ingress: null } } });
    expect(await cluster.host("svc")).toBe("");
  });

  test.each([
    ["no endpoint", [], "10.128.0.5", ""],
    ["only endpoints on the networks of hosts", ["n1"], "192.168.0.5", ""],
    ["an endpoint of the cluster's IPv6 network", ["n1"], "fd01::5", "n1"],
  ] as const)("5: with %s", async (_what, nodes, address, host) => {
    await cluster.addService("svc", []);
    await cluster.setEndpoints("svc", nodes, address);
    await cluster.add("svc");
    expect(await cluster.host("svc")).toBe(host);
  });

  test("4: by network the Service alone is enough, and a node of before is given up", async () => {
    await cluster.addService("svc", []);
    await cluster.add("svc", { sourceIPBy: "Network" });
    expect(await cluster.host("svc")).toBe("ALL");
    await cluster.setEndpoints("svc", everywhere);
    await cluster.change("svc", { spec: { sourceIPBy: "LoadBalancerIP" } });
    expect([await cluster.host("svc"), await cluster.labels()]).toEqual(["n1", ["n1: testns-svc"]]);
  });

  test("7: where only a node is missing nothing is written, until there was one", async () => {
    await cluster.addService("svc", everywhere);
    await cluster.add("svc", matching({ firstName: "Harry" }));
    expect(await cluster.host("svc")).toBeUndefined();
    await cluster.addNode("n3", { firstName: "Harry" });
    expect(await cluster.host("svc")).toBe("n3");
    await cluster.labelNode("n3", { firstName: null });
    expect(await cluster.host("svc")).toBe("");
  });
});

describe("which node it gets (rules 7, 8, 10, 11)", () => {
  test("7: nodes without services go first, then those with the fewest, then by name", async () => {
    await cluster.addNode("n0", {}, false);
    for (const name of ["a", "b", "c", "d"]) {
      await cluster.addService(name, everywhere);
      await cluster.add(name);
    }
    expect(await Promise.all(["a", "b", "c", "d"].map((name) => cluster.host(name)))).toEqual([
      "n1",
      "n2",
      "n1",
      "n2",
    ]);
  });

  test("8: nothing moves for balance", async () => {
    for (const name of ["a", "b", "c"]) {
      await cluster.addService(name, everywhere);
      await cluster.add(name, matching({ firstName: "Albus" }));
    }
    cluster.takeWrites();
    await cluster.addNode("n3", { firstName: "Albus" });
    expect(cluster.takeWrites()).toEqual(["create nodes n3"]);
  });

  test("10: what leaves a node that is not ready goes to another, and does not come back", async () => {
    await cluster.addService("svc", everywhere);
    await cluster.add("svc");
    await cluster.ready("n1", false);
    expect([await cluster.host("svc"), await cluster.labels()]).toEqual(["n2", ["n2: testns-svc"]]);
    await cluster.ready("n1", true);
    expect([await cluster.host("svc"), await cluster.labels()]).toEqual(["n2", ["n2: testns-svc"]]);
  });

  test("11: a draining node is not chosen, one that was never asked is", async () => {
    await cluster.addService("a", everywhere);
    await cluster.add("a");
    await cluster.reachable("n1", "false");
    await cluster.check();
    expect(await cluster.host("a")).toBe("n2");
    await cluster.addService("b", everywhere);
    await cluster.add("b", matching({ firstName: "Albus" }));
    expect(await cluster.host("b")).toBeUndefined();
    await cluster.addNode("n3", { firstName: "Harry" });
    await cluster.reachable("n3", "false");
    await cluster.addService("c", everywhere);
    await cluster.add("c", matching({ firstName: "Harry" }));
    expect(await cluster.host("c")).toBe("n3"); // a node without services is not probed
    await cluster.check();
    expect(await cluster.host("c")).toBe("");
  });

  test("11: what a node has lost because it does not answer is not given to it by a restart", async () => {
    await cluster.addService("a", everywhere);
    await cluster.add("a", matching({ firstName: "Albus" }));
    await cluster.reachable("n1", "false");
    await cluster.check();
    expect(await cluster.host("a")).toBe("");
    cluster.client.writes.length = 0;
    await cluster.restart();
    await cluster.check();
    expect(cluster.client.writes).toEqual([]);
    await cluster.reachable("n1", null);
    await cluster.check();
    expect(await cluster.host("a")).toBe("n1");
  });

  test("11: no check is due while nodes are what they are held to be", async () => {
    await cluster.addService("a", everywhere);
    await cluster.add("a");
    expect(cluster.clock.pending).toBe(0);
    await cluster.reachable("n1", "false");
    expect(cluster.clock.pending).toBe(1);
    await cluster.stop();
    expect(cluster.clock.pending).toBe(0);
  });
});

describe("what is written (rules 9, 14)", () => {
  test("9: the host first, then the label", async () => {
    await cluster.addService("svc", everywhere);
    cluster.takeWrites();
    await cluster.add("svc");
    expect(cluster.takeWrites()).toEqual([
      "create egressservices svc",
      "update egressservices svc",
      "patch nodes n1",
    ]);
  });

  test("9: a host that somebody writes is put right", async () => {
    await cluster.addService("svc", everywhere);
    await cluster.add("svc");
    await cluster.change("svc", { status: { host: "n2" } });
    expect([await cluster.host("svc"), await cluster.labels()]).toEqual(["n1", ["n1: testns-svc"]]);
  });

  test("14: labels that are taken off come back, foreign ones with the prefix go", async () => {
    await cluster.addService("svc", everywhere);
    await cluster.add("svc");
    await cluster.labelNode("n1", { [`${PREFIX}/testns-svc`]: null });
    await cluster.labelNode("n2", { [`${PREFIX}/x`]: "y" });
    expect(await cluster.labels()).toEqual(["n1: testns-svc"]);
  });

  test("a restart writes nothing, and neither does what concerns nobody", async () => {
    await cluster.addService("svc", everywhere);
    await cluster.add("svc");
    cluster.takeWrites();
    await cluster.restart();
    expect(cluster.takeWrites()).toEqual([]);
    await cluster.patchNode("n1", { metadata: { annotations: { x: "y" } } });
    expect(cluster.takeWrites()).toEqual(["patch nodes n1"]);
  });

  test("a write that fails is made later", async () => {
    await cluster.addService("svc", everywhere);
    let refusals = 1;
    cluster.client.refuse = ({ verb, resource }) =>
      verb === "update" && resource === "egressservices" && refusals-- > 0 ? new Error("no") : undefined;
    await cluster.add("svc");
    expect(await cluster.host("svc")).toBeUndefined();
    cluster.clock.advance(1_000);
    await cluster.idle();
    expect([await cluster.host("svc"), await cluster.labels()]).toEqual(["n1", ["n1: testns-svc"]]);
  });
});
