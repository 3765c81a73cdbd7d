// Scenarios 36–49: the objects themselves, their marks and statuses, and the state rebuilt after a start.
import { afterEach, describe, expect, test } from "vitest";
import { Cluster, EGRESS_IPS, egressIpObject, MARK, NODES } from "../../../../kube/controllers/support.ts";
import { assigned, CloudCluster, CONFIGS, cloudNodeObject, OWNER } from "../cloud-cluster.ts";
import { held, startWith, unevenCluster, withItems } from "./support.ts";

let cluster: Cluster;
afterEach(() => cluster.stop());

const A: string = "192.168.126.101";
const B: string = "192.168.126.102";
const N1 = { ipv4: "192.168.126.12/24" };
const N2 = { ipv4: "192.168.126.51/24" };
const OTHERS = ["192.168.126.68", "192.168.126.69", "192.168.126.70"];

describe("objects", () => {
  test("36: an EgressIP that selects no namespace gets its address all the same, and a mark", async () => {
    cluster = await unevenCluster(N1, N2, OTHERS);
    const object = egressIpObject("e", ["192.168.126.10"]);
    object["spec"] = { egressIPs: ["192.168.126.10"], namespaceSelector: { matchLabels: { no: "one" } } };
    await cluster.client.create(EGRESS_IPS, object);
    await cluster.idle();
    expect(await cluster.items("e")).toEqual(["192.168.126.10@n2"]);
    expect(await cluster.mark("e")).toMatch(/^5\d{4}$/);
  });

  test("37: addresses of both families go to the nodes of their family", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ipv6: "::feff:c0a8:8e0c/64" });
    await cluster.addNode("n2", N2);
    await cluster.addEgressIp("e", [A, "::feff:c0a8:8e0d"]);
    expect(await cluster.items("e")).toEqual([`${A}@n2`, "::feff:c0a8:8e0d@n1"]);
  });

  test("38: the mark is the EgressIP's, and free again when that is gone", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [A]);
    expect(await cluster.mark("e")).toBe("50000");
    await cluster.deleteEgressIp("e");
    await cluster.addEgressIp("f", [B], { annotations: { [MARK]: "50000" } });
    await cluster.addEgressIp("g", [A]);
    expect([await cluster.mark("f"), await cluster.mark("g")]).toEqual(["50000", "50001"]);
  });

  test("47: of two that want one address the first gets it, on the emptier node, the second nothing", async () => {
    cluster = await unevenCluster(N1, N2, OTHERS);
    await cluster.addEgressIp("e1", [A]);
    await cluster.addEgressIp("e2", [A]);
    expect([await cluster.items("e1"), await cluster.items("e2")]).toEqual([[`${A}@n2`], undefined]);
  });

  test("48: a replaced address stays on the emptier node, under the same mark", async () => {
    cluster = await unevenCluster(N1, N2, OTHERS);
    await cluster.addEgressIp("e", [A]);
    const mark = await cluster.mark("e");
    expect(await cluster.items("e")).toEqual([`${A}@n2`]);
    await cluster.setSpec("e", ["192.168.126.10"]);
    expect([await cluster.items("e"), await cluster.mark("e")]).toEqual([["192.168.126.10@n2"], mark]);
  });

  test("49: a mark that is there stays, another object gets another, and the range goes round", async () => {
    cluster = await startWith({ n1: N1 }, [["e", [A], { annotations: { [MARK]: "50100" } }]]);
    await cluster.addEgressIp("f", [B]);
    expect(await cluster.mark("e")).toBe("50100");
    expect(await cluster.mark("f")).not.toBe("50100");
  });

  test("49: of the five thousand marks none is given twice, and one that was freed can be given again", async () => {
    const all: Parameters<typeof startWith>[1] = Array.from({ length: 4_999 }, (_, index) => {
      const address = `10.1.${index >> 8}.${index & 255}`;
      const annotations = { [MARK]: String(index < 7 ? 50_000 + index : 50_001 + index) };
      return [`e${index}`, [address], { ...withItems([address, "n1"]), annotations }];
    });
    cluster = await startWith({ n1: { ipv4: "10.0.0.1/8" } }, all);
    await cluster.addEgressIp("last", ["10.2.0.1"]);
    expect(await cluster.mark("last")).toBe("50007");
    await cluster.addEgressIp("late", ["10.2.0.2"]);
    expect(await cluster.mark("late")).toBeUndefined();
    expect(cluster.log.lines.at(-1)).toContain("no free mark is left");
    await cluster.deleteEgressIp("e3");
    await cluster.touch("late");
    expect(await cluster.mark("late")).toBe("50003");
  });
});

describe("a start with statuses", () => {
  const SIX = "::feff:c0a8:8e0d";

  test("39: a status of both families that is right stays, and so do the allocations", async () => {
    cluster = await startWith({ n1: { ipv6: "::feff:c0a8:8e0c/64" }, n2: N2 }, [
      ["e", [A, SIX], { ...withItems([A, "n2"], [SIX, "n1"]), annotations: { [MARK]: "50000" } }],
    ]);
    expect(await cluster.items("e")).toEqual([`${A}@n2`, `${SIX}@n1`]);
    expect([held(cluster), cluster.takeWrites()]).toEqual([{ n1: 1, n2: 1 }, []]);
  });

  test("40: two addresses on one node are spread over two, at the start and whenever somebody writes so", async () => {
    const both = withItems([A, "n1"], [B, "n1"]);
    cluster = await startWith({ n1: N1, n2: N2 }, [["e", [A, B], both]]);
    const spread = async (): Promise<string[]> =>
      ((await cluster.items("e")) ?? []).map((item) => item.split("@")[1] ?? "").sort();
    expect(await spread()).toEqual(["n1", "n2"]);
    await cluster.patchEgressIp("e", { status: both.status });
    expect(await spread()).toEqual(["n1", "n2"]);
    expect(held(cluster)).toEqual({ n1: 1, n2: 1 });
  });

  test.each([
    [41, "192.168.126.1000"],
    [42, "192.168.128.100"],
  ])(
    "%i: an item with %s gives way to the address that is wanted, on the emptiest node",
    async (_number, wrong) => {
      cluster = await startWith({ n1: N1, n2: N2 }, [
        ["a", ["192.168.126.68"], withItems(["192.168.126.68", "n1"])],
        ["e", [A], withItems([wrong, "n1"])],
      ]);
      // Unwanted items are removed first, and wanted ones are added at the next reconcile.
      expect(await cluster.items("e")).toEqual([`${A}@n2`]);
    },
  );

  test("46: of two with the same address the one that has it in its status keeps it", async () => {
    cluster = await startWith({ n1: N1, n2: N2 }, [
      ["e1", [A], withItems([A, "n1"])],
      ["e2", [A]],
    ]);
    expect([await cluster.items("e1"), await cluster.items("e2")]).toEqual([[`${A}@n1`], undefined]);
  });
});

describe("a start on a cloud", () => {
  async function startOnCloud(asked: readonly (readonly [name: string, node: string, on: string])[]) {
    const cloud = await CloudCluster.start();
    cluster = cloud.cluster;
    const { client } = cluster;
    await cluster.restart(async () => {
      await client.create(NODES, cloudNodeObject("n1", N1));
      await client.create(NODES, cloudNodeObject("n2", N2));
      await client.create(EGRESS_IPS, egressIpObject("e", [A, B], withItems([A, "n1"], [B, "n2"])));
      for (const [name, node, on] of asked) {
        await client.create(CONFIGS, {
          apiVersion: "cloud.network.openshift.io/v1",
          kind: "CloudPrivateIPConfig",
          metadata: { name, annotations: { [OWNER]: "e" } },
          spec: { node },
          status: { node: on, conditions: [assigned("True")] },
        });
      }
    });
    return cloud;
  }

  test("43: an item whose request is gone is dropped", async () => {
    await startOnCloud([[A, "n1", "n1"]]);
    expect(await cluster.items("e")).toEqual([`${A}@n1`]);
  });

  test("44: an item whose request is on its way to another node stays", async () => {
    await startOnCloud([
      [A, "n2", "n1"],
      [B, "n2", "n2"],
    ]);
    expect(await cluster.items("e")).toContain(`${A}@n1`);
  });

  test("45: without any request all items go", async () => {
    await startOnCloud([]);
    expect(await cluster.items("e")).toEqual([]);
  });
});
