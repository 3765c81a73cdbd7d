import { describe, expect, test } from "vitest";
import {
  ControllerManager,
  defaultControllers,
  selectControllers,
} from "../../../src/controller/controller-manager.ts";
import type { Controller, ControllerDescriptor } from "../../../src/controller/definition.ts";
import { WorkQueue } from "../../../src/controller/work-queue.ts";
import { controllerDescriptors } from "../../../src/server/controller-list.ts";
import { FakeClient } from "../../support/fake-client.ts";
import { Cluster, keptLog, ManualClock } from "../kube/controllers/support.ts";

const descriptor = (
  name: string,
  options: Partial<Controller & ControllerDescriptor> = {},
): ControllerDescriptor => ({
  name,
  fieldManager: name,
  ...(options.offByDefault === undefined ? {} : { offByDefault: options.offByDefault }),
  create: () => ({
    name,
    activity: 0,
    start: options.start ?? (async () => undefined),
    stop: options.stop ?? (async () => undefined),
    idle: options.idle ?? (async () => undefined),
    hold: () => async () => undefined,
  }),
});

const ALL = [descriptor("egressip"), descriptor("namespace"), descriptor("cloud", { offByDefault: true })];

describe("--controllers", () => {
  test.each([
    ["*", "egressip namespace cloud"],
    ["*,-egressip", "namespace cloud"],
    ["-egressip,*", "namespace cloud"],
    ["*,-cloud", "egressip namespace"],
    ["cloud", "cloud"],
    ["namespace", "namespace"],
    ["namespace,-namespace", "namespace"],
    ["-namespace,namespace", ""],
    ["", ""],
    [" * , -namespace ", "egressip cloud"],
  ])("%j turns on: %s", (value, names) => {
    expect(
      selectControllers(value, ALL)
        .map(({ name }) => name)
        .join(" "),
    ).toBe(names);
  });

  test("left out, is all but those that are off by default, and says so by name", () => {
    expect(defaultControllers(ALL)).toBe("*,-cloud");
    expect(defaultControllers([descriptor("egressip")])).toBe("*");
    expect(defaultControllers(controllerDescriptors)).toBe("*,-serviceaccount,-root-ca-publisher");
  });

  test.each([
    ["*", false, "egressip"],
    ["*", true, "egressip scheduler"],
    ["*,-scheduler", true, "egressip"],
    ["scheduler", false, "scheduler"],
  ])("%j, with a cluster that lives: %s, turns on %s", (value, isLiving, names) => {
    const all = [descriptor("egressip"), { ...descriptor("scheduler"), ofCluster: true }];
    expect(
      selectControllers(value, all, isLiving)
        .map(({ name }) => name)
        .join(" "),
    ).toBe(names);
  });

  test.each(["*,nope", "-nope"])("%j names no controller", (value) => {
    expect(() => selectControllers(value, ALL)).toThrow('"nope" is not in the list of known controllers');
  });

  test("every controller that exists has a name of its own", () => {
    const names = controllerDescriptors.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("egressip");
  });
});

describe("the manager", () => {
  test("logs a controller that cannot start, and starts the others", async () => {
    const log = keptLog();
    const started: string[] = [];
    const managers: string[] = [];
    const manager = new ControllerManager(
      [
        descriptor("bad", { start: () => Promise.reject(new Error("no way")) }),
        descriptor("good", { start: async () => void started.push("good") }),
      ],
      {
        clientFor: (fieldManager) => {
          managers.push(fieldManager);
          return new FakeClient();
        },
        clock: new ManualClock(),
        log,
      },
    );
    await manager.start(new AbortController().signal);
    expect([manager.names, managers, started]).toEqual([["bad", "good"], ["bad", "good"], ["good"]]);
    expect(log.lines).toEqual(['error controller failed to start {"controller":"bad","error":"no way"}']);
    await manager.stop();
  });

  test("runs a controller only while the resources that it needs are served, and logs which it does not run", async () => {
    const log = keptLog();
    const widgets = { group: "example.com", version: "v1", resource: "widgets" };
    const served = [{ ...widgets, kind: "Widget", namespaced: true, verbs: [] }];
    let list: typeof served = [];
    const needing = { ...descriptor("needing"), needs: () => [widgets] };
    const manager = new ControllerManager([needing, descriptor("other")], {
      clientFor: () => new FakeClient(),
      clock: new ManualClock(),
      log,
      catalog: { list: () => list, onChange: () => () => undefined },
    });
    expect(manager.names).toEqual(["other"]);
    await manager.start(new AbortController().signal);
    expect(log.lines).toEqual([
      'info the controller does not run: resources that it needs are not served {"controller":"needing","resources":["widgets.example.com/v1"]}',
    ]);
    await manager.renew(async () => {
      list = served;
    });
    expect(manager.names).toEqual(["needing", "other"]);
    await manager.renew(async () => {
      list = [];
    });
    expect(manager.names).toEqual(["other"]);
    await manager.stop();
  });

  test("is idle when no controller did anything while the others were asked", async () => {
    let activity = 0;
    const first: Controller = {
      name: "first",
      get activity() {
        return activity;
      },
      start: async () => undefined,
      stop: async () => undefined,
      idle: async () => undefined,
      hold: () => async () => undefined,
    };
    let asked = 0;
    const second = descriptor("second", {
      idle: async () => {
        asked++;
        if (asked < 3) activity++;
      },
    });
    const manager = new ControllerManager(
      [{ name: "first", fieldManager: "f", create: () => first }, second],
      {
        clientFor: () => new FakeClient(),
        clock: new ManualClock(),
        log: keptLog(),
      },
    );
    await manager.start(new AbortController().signal);
    await manager.idle();
    expect(asked).toBe(3);
  });

  test("asks once more when somebody was still at work as it began to ask", async () => {
    const asked: string[] = [];
    const clock = new ManualClock();
    const queue = new WorkQueue({ clock, retryFirstMs: 1, retryMaxMs: 1 });
    queue.add("key");
    await queue.next();
    const first = descriptor("first", { idle: async () => void asked.push("first") });
    // The work of the second controller ends during its idle() and concerns the first, whose idle() was called before.
    const second: Controller = {
      ...{ name: "second", start: async () => undefined, stop: async () => undefined },
      hold: () => async () => undefined,
      get activity() {
        return queue.activity;
      },
      async idle() {
        if (!asked.includes("second")) queue.done("key");
        asked.push("second");
      },
    };
    const descriptors = [first, { name: "second", fieldManager: "s", create: () => second }];
    const context = { clientFor: () => new FakeClient(), clock, log: keptLog() };
    const manager = new ControllerManager(descriptors, context);
    await manager.start(new AbortController().signal);
    await manager.idle();
    expect(asked).toEqual(["first", "second", "first", "second"]);
  });

  test("a controller that was stopped looks at nothing any more", async () => {
    const cluster = await Cluster.start();
    await cluster.stop();
    await cluster.stop();
    await cluster.addNode("n1", { ipv4: "192.168.126.11/24" });
    await cluster.addEgressIp("e", ["192.168.126.101"]);
    expect(await cluster.items("e")).toBeUndefined();
  });
});
