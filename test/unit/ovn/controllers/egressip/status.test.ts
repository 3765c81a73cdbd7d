import { afterEach, describe, expect, test } from "vitest";
import { notFound } from "../../../../../src/apimachinery/meta/status.ts";
import { Cluster, MARK } from "../../../kube/controllers/support.ts";

const N1 = { ipv4: "192.168.126.11/24" };
const N2 = { ipv4: "192.168.126.22/24" };
const IP = "192.168.126.101";

let cluster: Cluster;
afterEach(() => cluster.stop());

const statusOf = (...items: string[]) => ({
  items: items.map((item) => {
    const [egressIP, node] = item.split("@");
    return { egressIP, node };
  }),
});

describe("spec (rules 22–25)", () => {
  test.each(["192.168.126.300", "192.168.126.101/24", "192.168.126.010", ""])(
    "22: %j is no address: an event, and nothing of the object is processed",
    async (text) => {
      cluster = await Cluster.start();
      await cluster.addNode("n1", N1);
      await cluster.addEgressIp("e", [text, IP]);
      expect(await cluster.items("e")).toBeUndefined();
      expect(await cluster.events("e")).toEqual([
        `InvalidEgressIP: egress IP: ${text} for object EgressIP: e is not a valid IP address`,
      ]);
    },
  );

  test("22: it is tried again with growing pauses, and the event's count rises", async () => {
    cluster = await Cluster.start();
    await cluster.addEgressIp("e", ["x"]);
    for (const [ms, count] of [
      [999, 1],
      [1, 2],
      [1_999, 2],
      [1, 3],
      [4_000, 4],
    ] as const) {
      cluster.clock.advance(ms);
      await cluster.idle();
      const [event] = await cluster.events("e");
      expect(event?.endsWith(count === 1 ? "address" : `×${count}`)).toBe(true);
    }
    await cluster.setSpec("e", []);
    expect(cluster.clock.pending).toBe(0);
  });

  test("22: an invalid address leaves also what was taken out in the same update", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.setSpec("e", ["nonsense"]);
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    await cluster.addEgressIp("f", [IP]);
    expect(await cluster.items("f")).toBeUndefined();
  });

  test("22: spellings are made canonical in the status, the spec stays as written", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ipv6: "fd00:1::11/64" });
    await cluster.addEgressIp("e", ["FD00:0001:0:0::0101", "fd00:1::101"]);
    expect(await cluster.items("e")).toEqual(["fd00:1::101@n1"]);
    expect(await cluster.events("e")).toEqual([]);
    expect((await cluster.egressIp("e"))["spec"]).toMatchObject({
      egressIPs: ["FD00:0001:0:0::0101", "fd00:1::101"],
    });
    cluster.takeWrites();
    await cluster.setSpec("e", ["FD00:1:0::101"]);
    expect(cluster.takeWrites()).toEqual([]);
  });

  test("25: an added address is placed in one change, behind those that stay", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addNode("n2", N2);
    cluster.takeWrites();
    await cluster.setSpec("e", ["192.168.126.100", IP]);
    expect(await cluster.items("e")).toEqual([`${IP}@n1`, "192.168.126.100@n2"]);
    expect(cluster.takeWrites()).toHaveLength(1);
  });

  test("25: a replaced address takes two changes: first the old one goes, then the new one comes", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    cluster.takeWrites();
    await cluster.setSpec("e", ["192.168.126.102"]);
    expect(cluster.takeWrites()).toMatchObject([
      { body: [{ op: "test" }, { op: "replace", path: "/status", value: { items: [] } }] },
      { body: [{ op: "test" }, { op: "replace", path: "/status", value: statusOf("192.168.126.102@n1") }] },
    ]);
    await cluster.addEgressIp("f", [IP]);
    expect(await cluster.items("f")).toEqual([`${IP}@n1`]);
  });

  test("26: one that fits nowhere has no status; one that loses everything has empty items", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.setSpec("e", ["8.8.8.8"]);
    expect(await cluster.items("e")).toEqual([]);
    await cluster.setSpec("e", []);
    expect(await cluster.items("e")).toEqual([]);
    await cluster.addEgressIp("f", ["8.8.8.8"]);
    expect((await cluster.egressIp("f"))["status"]).toBeUndefined();
  });
});

describe("deletion (rule 27)", () => {
  test("frees the address at once, but wakes nobody who waits for it", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addEgressIp("f", [IP]);
    await cluster.deleteEgressIp("e");
    expect(await cluster.items("f")).toBeUndefined();
    await cluster.touch("f");
    expect(await cluster.items("f")).toEqual([`${IP}@n1`]);
  });

  test("any node that joins makes the waiting one look again, even one that cannot host it", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addEgressIp("f", [IP]);
    await cluster.setSpec("e", []);
    expect(await cluster.items("f")).toBeUndefined();
    await cluster.addNode("n9", { ipv4: "10.0.0.9/24" });
    expect(await cluster.items("f")).toEqual([`${IP}@n1`]);
  });

  test("held up by a finalizer keeps status and address until it is over", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP], { finalizers: ["example.com/hold"] });
    await cluster.deleteEgressIp("e");
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    await cluster.addEgressIp("f", [IP]);
    expect(await cluster.items("f")).toBeUndefined();
    await cluster.patchEgressIp("e", { metadata: { finalizers: null } });
    await cluster.touch("f");
    expect(await cluster.items("f")).toEqual([`${IP}@n1`]);
  });

  test("and creation under the same name make a new EgressIP, even if seen as one change", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    const before = await cluster.mark("e");
    cluster.client.holdEvents();
    await cluster.client.delete(
      { group: "k8s.ovn.org", version: "v1", resource: "egressips" },
      { namespace: "", name: "e" },
    );
    const added = cluster.addEgressIp("e", ["192.168.126.102"]);
    cluster.client.compact();
    cluster.client.releaseEvents();
    await added;
    await cluster.idle();
    expect(await cluster.items("e")).toEqual(["192.168.126.102@n1"]);
    expect(await cluster.mark("e")).not.toBe(before);
  });
});

describe("a status that others wrote is put right item by item (rule 23)", () => {
  test.each<[string, string[], number]>([
    ["an item moved to another usable node goes back", [`${IP}@n2`], 1],
    ["an item on a node that does not exist goes back", [`${IP}@nowhere`], 1],
    ["an address that is not wanted goes, then the wanted one comes back", ["192.168.126.109@n1"], 2],
    ["an item too many goes", [`${IP}@n1`, "192.168.126.109@n2"], 1],
    ["a second item of the same address goes", [`${IP}@n1`, `${IP}@n2`], 1],
    ["emptied items come back", [], 1],
  ])("%s", async (_rule, items, writes) => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addNode("n2", N2);
    await cluster.addEgressIp("other", ["192.168.126.111"]);
    cluster.takeWrites();
    await cluster.patchEgressIp("e", { status: statusOf(...items) });
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    expect(cluster.takeWrites()).toHaveLength(writes);
  });

  test("a status given at creation counts for nothing", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", { ...N2, label: false });
    await cluster.addEgressIp("e", [IP], { status: statusOf(`${IP}@n2`) });
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    expect((await cluster.egressIp("e")).metadata.generation).toBe(2);
  });

  test("if it happens to be right only the mark is added", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP], { status: statusOf(`${IP}@n1`) });
    expect((await cluster.egressIp("e")).metadata.generation).toBe(1);
    expect(await cluster.mark("e")).toBe("50000");
  });

  test("items of an EgressIP that fits nowhere are emptied", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", ["8.8.8.8"]);
    await cluster.patchEgressIp("e", { status: statusOf("8.8.8.8@n1") });
    expect(await cluster.items("e")).toEqual([]);
  });

  test("an item that names the address of another EgressIP takes nothing from that one", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addEgressIp("f", ["192.168.126.102"]);
    await cluster.patchEgressIp("f", { status: statusOf(`${IP}@n1`) });
    await cluster.touch("e");
    expect([await cluster.items("e"), await cluster.items("f")]).toEqual([
      [`${IP}@n1`],
      ["192.168.126.102@n1"],
    ]);
  });

  test("labels and annotations are the user's and change no status", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    cluster.takeWrites();
    await cluster.patchEgressIp("e", { metadata: { labels: { x: "y" }, annotations: { x: "y" } } });
    expect(cluster.takeWrites()).toEqual([]);
  });
});

describe("marks (rules 31, 46–48)", () => {
  test("31: the mark comes with the first status, and takes all other annotations", async () => {
    cluster = await Cluster.start();
    await cluster.addEgressIp("e", [IP], { annotations: { other: "y" } });
    expect((await cluster.egressIp("e")).metadata.annotations).toEqual({ other: "y" });
    await cluster.addNode("n1", N1);
    expect((await cluster.egressIp("e")).metadata.annotations).toEqual({ [MARK]: "50000" });
    expect(cluster.takeWrites()).toMatchObject([
      {
        body: [
          { op: "test" },
          { op: "add", path: "/metadata/annotations" },
          { op: "replace", path: "/status" },
        ],
      },
    ]);
  });

  test("46: it is the EgressIP's for life, also through moves, and later annotations stay", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.patchEgressIp("e", { metadata: { annotations: { other: "y" } } });
    await cluster.addNode("n2", N2);
    await cluster.deleteNode("n1");
    expect(await cluster.items("e")).toEqual([`${IP}@n2`]);
    expect((await cluster.egressIp("e")).metadata.annotations).toEqual({ [MARK]: "50000", other: "y" });
  });

  test("46: marks differ, go round, and a freed one is not the next", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.deleteEgressIp("e");
    await cluster.addEgressIp("e", [IP]);
    await cluster.addEgressIp("f", ["192.168.126.102"]);
    expect([await cluster.mark("e"), await cluster.mark("f")]).toEqual(["50001", "50002"]);
  });

  test("48: one taken off is not put back by itself, but the same one comes with the next status", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.patchEgressIp("e", { metadata: { annotations: { [MARK]: null } } });
    expect(await cluster.mark("e")).toBeUndefined();
    await cluster.patchEgressIp("e", { status: null });
    expect([await cluster.items("e"), await cluster.mark("e")]).toEqual([[`${IP}@n1`], "50000"]);
  });

  test.each(["54322", "7", "x", ""])("48: one given by the user stays, whatever it is: %j", async (mark) => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP], { annotations: { [MARK]: mark, other: "y" } });
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    expect((await cluster.egressIp("e")).metadata.annotations).toEqual({ [MARK]: mark, other: "y" });
  });
});

describe("writing", () => {
  test("29: a patch that fails is repeated, with the same outcome", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    let failures = 2;
    cluster.client.refuse = ({ verb }) =>
      verb === "patch" && failures-- > 0 ? new Error("out of reach") : undefined;
    await cluster.addEgressIp("e", [IP]);
    expect(await cluster.items("e")).toBeUndefined();
    cluster.clock.advance(1_000);
    await cluster.idle();
    cluster.clock.advance(2_000);
    await cluster.idle();
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    expect(cluster.log.lines.filter((line) => line.includes("out of reach"))).toHaveLength(2);
  });

  test("an object that is gone by the time of writing is no failure", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    cluster.client.refuse = ({ verb, resource, name }) =>
      verb === "patch" && resource === "egressips"
        ? notFound({ group: "k8s.ovn.org", resource: "egressips" }, name)
        : undefined;
    await cluster.addEgressIp("e", [IP]);
    expect(cluster.log.lines).toEqual([]);
  });
});
