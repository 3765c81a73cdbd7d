import { afterEach, describe, expect, test } from "vitest";
import { CloudWorld, FINALIZER } from "./support.ts";

let world: CloudWorld;
afterEach(() => world.stop());

const PENDING = "Unknown CloudResponsePending";
const SUCCESS = "True CloudResponseSuccess";
const ERROR = "False CloudResponseError";

const refuseOnNode = (node: string, text: string | null): Promise<void> =>
  world.patchNode(node, { metadata: { annotations: { "egret.dev/cloud-error": text } } });

describe("adding", () => {
  test("is pending first, then done; the finalizer comes between", async () => {
    world = await CloudWorld.start();
    await world.ask("n1");
    expect(world.takeHistory()).toEqual([
      `n1 ${PENDING}: Adding IP address`,
      `n1 ${SUCCESS}: IP address successfully added`,
    ]);
    expect(await world.config()).toMatchObject({
      metadata: { finalizers: [FINALIZER] },
      status: {
        node: "n1",
        conditions: [
          {
            type: "Assigned",
            status: "True",
            observedGeneration: 1,
            lastTransitionTime: "2026-01-01T00:00:00Z",
            reason: "CloudResponseSuccess",
            message: "IP address successfully added",
          },
        ],
      },
    });
  });

  test("keeps other finalizers", async () => {
    world = await CloudWorld.start();
    await world.slow(100);
    await world.ask("n1");
    await world.change({ metadata: { finalizers: [FINALIZER, "other"] } });
    await world.advance(100);
    await world.remove();
    await world.advance(100);
    expect((await world.config())?.metadata.finalizers).toEqual(["other"]);
  });

  test("to a node that does not exist fails, and is not tried again", async () => {
    world = await CloudWorld.start();
    await world.ask("nowhere");
    expect(world.takeHistory()).toEqual([
      `nowhere ${PENDING}: Adding IP address`,
      `nowhere ${ERROR}: Node "nowhere" does not exist`,
    ]);
    expect(world.clock.pending).toBe(0);
    await world.restart();
    expect(world.takeHistory()).toEqual([]);
    await world.addNode("nowhere", { ipv4: "192.168.126.19/24" });
    expect(world.takeHistory().at(-1)).toBe(`nowhere ${SUCCESS}: IP address successfully added`);
  });

  test("that the cloud refuses is an error, and tried again with growing pauses", async () => {
    world = await CloudWorld.start();
    await refuseOnNode("n1", "quota exceeded");
    await world.ask("n1");
    const failed = `n1 ${ERROR}: Error processing cloud assignment request, err: quota exceeded`;
    expect(world.takeHistory().at(-1)).toBe(failed);
    const before = world.log.lines.length;
    for (let ms = 5; ms < 400_000; ms *= 2) await world.advance(ms);
    expect(world.log.lines.length - before).toBe(14);
    expect(world.log.lines.at(-1)).toContain("waiting for the next change");
    expect(world.clock.pending).toBe(0);
  });

  test("goes on by itself when the cloud changes its mind", async () => {
    world = await CloudWorld.start();
    await refuseOnNode("n1", "no");
    await world.ask("n1");
    await refuseOnNode("n1", null);
    expect((await world.config())?.status?.conditions[0]?.status).toBe("True");
  });

  test("is refused for one object alone, or for all on a node", async () => {
    world = await CloudWorld.start();
    await world.ask("n1", { "egret.dev/cloud-error": "not this one" });
    expect((await world.config())?.status?.conditions[0]?.message).toContain("err: not this one");
    await world.change({ metadata: { annotations: { "egret.dev/cloud-error": null } } });
    await refuseOnNode("n1", "strike");
    await world.change({ spec: { node: "n2" } });
    expect((await world.config())?.status?.conditions[0]?.message).toBe(
      "Error processing cloud release request, err: strike",
    );
  });
});

describe("moving", () => {
  test("is a release first, then an addition", async () => {
    world = await CloudWorld.start();
    await world.ask("n1");
    world.takeHistory();
    await world.change({ spec: { node: "n2" } });
    expect(world.takeHistory()).toEqual([
      `n1 ${PENDING}: Deleting IP address`,
      `- ${SUCCESS}: IP address successfully deleted`,
      `n2 ${PENDING}: Adding IP address`,
      `n2 ${SUCCESS}: IP address successfully added`,
    ]);
  });

  test("is one request on OpenStack", async () => {
    world = await CloudWorld.start("openstack");
    await world.ask("n1");
    world.takeHistory();
    await world.change({ spec: { node: "n2" } });
    expect(world.takeHistory()).toEqual([
      `n1 ${PENDING}: Moving IP address`,
      `n2 ${SUCCESS}: IP address successfully moved`,
    ]);
  });

  test("that the cloud refuses leaves the address where it is", async () => {
    world = await CloudWorld.start("openstack");
    await world.ask("n1");
    await refuseOnNode("n2", "no");
    world.takeHistory();
    await world.change({ spec: { node: "n2" } });
    expect(world.takeHistory()[1]).toBe(`n1 ${ERROR}: Error processing cloud move request, err: no`);
  });

  test("to a node that does not exist is an error on OpenStack", async () => {
    world = await CloudWorld.start("openstack");
    await world.ask("n1");
    world.takeHistory();
    await world.change({ spec: { node: "nowhere" } });
    expect(world.takeHistory()).toEqual([`n1 ${ERROR}: Target node "nowhere" does not exist`]);
  });

  test.each(["aws", "openstack"] as const)("away from a node that is gone works: %s", async (platform) => {
    world = await CloudWorld.start(platform);
    await world.ask("n1");
    await refuseOnNode("n1", "no");
    await world.deleteNode("n1");
    await world.change({ spec: { node: "n2" } });
    expect(await world.config()).toMatchObject({ status: { node: "n2", conditions: [{ status: "True" }] } });
  });
});

describe("deleting", () => {
  test("waits for the cloud, then the finalizer goes without another word", async () => {
    world = await CloudWorld.start();
    await world.ask("n1");
    world.takeHistory();
    await world.remove();
    expect([await world.config(), world.takeHistory()]).toEqual([
      undefined,
      [`n1 ${PENDING}: Deleting IP address`],
    ]);
  });

  test("that the cloud refuses holds the object", async () => {
    world = await CloudWorld.start();
    await world.ask("n1");
    await refuseOnNode("n1", "no");
    await world.remove();
    expect((await world.config())?.status?.conditions[0]?.message).toBe(
      "Error processing cloud release request, err: no",
    );
    await refuseOnNode("n1", null);
    expect(await world.config()).toBeUndefined();
  });

  test("of one that is nowhere lets it go", async () => {
    world = await CloudWorld.start();
    await world.ask("");
    await world.change({ metadata: { finalizers: [FINALIZER] } });
    await world.remove();
    expect(await world.config()).toBeUndefined();
  });

  test("of one without the finalizer is left to others", async () => {
    world = await CloudWorld.start("aws", []);
    await world.ask("");
    await world.change({ metadata: { finalizers: ["other"] } });
    await world.remove();
    expect(world.takeHistory()).toEqual([]);
  });
});

describe("latency", () => {
  test("leaves the request pending for as long", async () => {
    world = await CloudWorld.start();
    await world.slow(1_000);
    await world.ask("n1");
    await world.advance(999);
    expect((await world.config())?.status?.conditions[0]?.status).toBe("Unknown");
    await world.advance(1);
    expect((await world.config())?.status?.conditions[0]?.status).toBe("True");
  });

  test("may be a node's own", async () => {
    world = await CloudWorld.start();
    await world.patchNode("n1", { metadata: { annotations: { "egret.dev/cloud-latency-ms": "50" } } });
    await world.ask("n1");
    await world.advance(49);
    expect((await world.config())?.status?.conditions[0]?.status).toBe("Unknown");
    await world.advance(1);
    expect((await world.config())?.status?.conditions[0]?.status).toBe("True");
  });

  test("what changes meanwhile is done afterwards", async () => {
    world = await CloudWorld.start();
    await world.slow(100);
    await world.ask("n1");
    await world.remove();
    expect(world.takeHistory()).toEqual([`n1 ${PENDING}: Adding IP address`]);
    await world.advance(100);
    expect(world.takeHistory()).toEqual([
      `n1 ${SUCCESS}: IP address successfully added`,
      `n1 ${PENDING}: Deleting IP address`,
    ]);
    await world.advance(100);
    expect(await world.config()).toBeUndefined();
  });

  test("does not keep refusals from being tried with growing pauses", async () => {
    world = await CloudWorld.start();
    await world.slow(10);
    await refuseOnNode("n1", "no");
    await world.ask("n1");
    for (let step = 0; step < 200; step++) await world.advance(5);
    // Pauses of 5, 10, 20, … 320 ms, each with 10 ms of waiting for the cloud.
    expect(world.log.lines.length).toBeGreaterThan(5);
    expect(world.log.lines.length).toBeLessThan(9);
  });

  test("a restart asks again", async () => {
    world = await CloudWorld.start();
    await world.slow(1_000);
    await world.ask("n1");
    await world.slow(0);
    world.takeHistory();
    await world.restart();
    expect(world.takeHistory()).toEqual([
      `n1 ${PENDING}: Adding IP address`,
      `n1 ${SUCCESS}: IP address successfully added`,
    ]);
  });
});

test("nothing is written while nothing changes, also not by a restart", async () => {
  world = await CloudWorld.start();
  await world.ask("n1");
  world.takeHistory();
  await world.restart();
  await world.change({ metadata: { labels: { x: "y" } } });
  expect(world.takeHistory()).toEqual([]);
});
