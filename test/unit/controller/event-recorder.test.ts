import { describe, expect, test } from "vitest";
import type { EventSubject } from "../../../src/apimachinery/meta/occurrence.ts";
import { forbidden } from "../../../src/apimachinery/meta/status.ts";
import { EventRecorder } from "../../../src/controller/event-recorder.ts";
import { FakeClient } from "../../support/fake-client.ts";
import { EVENTS, keptLog, ManualClock } from "../kube/controllers/support.ts";

const SUBJECT: EventSubject = { kind: "EgressIP", name: "e" };

function open() {
  const client = new FakeClient();
  const clock = new ManualClock();
  const log = keptLog();
  const abort = new AbortController();
  const recorder = new EventRecorder({ client, clock, log, component: "me", signal: abort.signal });
  const recordEvent = async (message: string, subject = SUBJECT, reason = "Why"): Promise<void> => {
    recorder.record({ subject, type: "Warning", reason, message });
    await recorder.flushed();
  };
  const events = async () => (await client.list(EVENTS)).items;
  return { client, clock, log, abort, recorder, recordEvent, events };
}

describe("an Event", () => {
  test("has the members that client-go gives it, in the namespace default for cluster-scoped objects", async () => {
    const { recordEvent, events, clock } = open();
    await recordEvent("something");
    const [event] = await events();
    const { name, namespace } = event?.metadata ?? {};
    expect([name, namespace]).toEqual([`e.${(BigInt(clock.now()) * 1_000_000n).toString(16)}`, "default"]);
    const { metadata: _, ...rest } = event ?? { metadata: {} };
    expect(rest).toEqual({
      apiVersion: "v1",
      kind: "Event",
      involvedObject: { kind: "EgressIP", name: "e" },
      reason: "Why",
      message: "something",
      source: { component: "me" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      count: 1,
      type: "Warning",
      eventTime: null,
      reportingComponent: "me",
      reportingInstance: "",
    });
  });

  test("about an object in a namespace lives there", async () => {
    const { recordEvent, events } = open();
    await recordEvent("x", { kind: "Pod", name: "p", namespace: "ns", uid: "u" });
    expect((await events())[0]?.metadata.namespace).toBe("ns");
  });

  test("two at the same moment have different names", async () => {
    const { recorder, events } = open();
    for (const message of ["a", "b"])
      recorder.record({ subject: SUBJECT, type: "Normal", reason: "R", message });
    await recorder.flushed();
    expect(await events()).toHaveLength(2);
  });
});

describe("what was said before the start", () => {
  /** Another recorder on the same API, as after a start. */
  function restarted({ client, clock, log }: ReturnType<typeof open>) {
    const { signal } = new AbortController();
    const recorder = new EventRecorder({ client, clock, log, component: "me", signal });
    return async (message: string, atStart: boolean, subject = SUBJECT): Promise<void> => {
      recorder.record({ subject, type: "Warning", reason: "Why", message }, { atStart });
      await recorder.flushed();
    };
  }

  test("is not said again by the start, and counted on after it", async () => {
    const before = open();
    await before.recordEvent("x");
    before.clock.advance(5_000);
    const recordEvent = restarted(before);
    await recordEvent("x", true);
    expect(await before.events()).toMatchObject([{ count: 1, lastTimestamp: "2026-01-01T00:00:00Z" }]);
    await recordEvent("x", false);
    expect(await before.events()).toMatchObject([
      { count: 2, firstTimestamp: "2026-01-01T00:00:00Z", lastTimestamp: "2026-01-01T00:00:05Z" },
    ]);
    await recordEvent("y", true);
    await recordEvent("x", true, { ...SUBJECT, name: "other" });
    expect(await before.events()).toHaveLength(3);
  });

  test("counts also where it was combined with others", async () => {
    const before = open();
    for (let index = 0; index < 12; index++) await before.recordEvent(`number ${index}`);
    const held = JSON.stringify(await before.events());
    const recordEvent = restarted(before);
    for (let index = 0; index < 12; index++) await recordEvent(`number ${index}`, true);
    expect(JSON.stringify(await before.events())).toBe(held);
  });

  test("by others is theirs", async () => {
    const before = open();
    const { client, clock, log } = before;
    const { signal } = new AbortController();
    const other = new EventRecorder({ client, clock, log, component: "other", signal });
    other.record({ subject: SUBJECT, type: "Warning", reason: "Why", message: "x" });
    await other.flushed();
    await restarted(before)("x", true);
    expect(await before.events()).toHaveLength(2);
  });

  test("does not matter while Events cannot be read", async () => {
    const before = open();
    before.client.list = () => Promise.reject(new Error("no list"));
    await restarted(before)("x", true);
    expect(before.client.writes.map(({ verb }) => verb)).toEqual(["create"]);
    expect(before.log.lines).toEqual([expect.stringContaining("events not read")]);
  });
});

describe("correlation", () => {
  test("the same again raises count and lastTimestamp by a patch", async () => {
    const { recordEvent, events, clock, client } = open();
    await recordEvent("x");
    clock.advance(5_000);
    await recordEvent("x");
    expect(await events()).toMatchObject([
      { count: 2, firstTimestamp: "2026-01-01T00:00:00Z", lastTimestamp: "2026-01-01T00:00:05Z" },
    ]);
    expect(client.writes.map(({ verb }) => verb)).toEqual(["create", "patch"]);
  });

  test("one that was deleted meanwhile is made again, with its count", async () => {
    const { recordEvent, events, client } = open();
    await recordEvent("x");
    const [event] = await events();
    await client.delete(EVENTS, { namespace: "default", name: event?.metadata.name ?? "" });
    await recordEvent("x");
    expect(await events()).toMatchObject([{ count: 2, message: "x" }]);
  });

  test("the tenth message of the same reason within ten minutes is combined with those that follow", async () => {
    const { recordEvent, events } = open();
    for (let index = 1; index <= 12; index++) await recordEvent(`m${index}`);
    const all = await events();
    expect(all).toHaveLength(10);
    expect(all.find(({ count }) => count !== 1)).toMatchObject({
      count: 3,
      message: "(combined from similar events): m12",
    });
  });

  test("after ten quiet minutes messages count anew", async () => {
    const { recordEvent, events, clock } = open();
    for (let index = 1; index <= 9; index++) await recordEvent(`m${index}`);
    clock.advance(600_001);
    await recordEvent("m10");
    expect((await events()).map(({ message }) => message)).toContain("m10");
  });

  test("after 25 about one object the source is heard once in five minutes; other objects do not suffer", async () => {
    const { recordEvent, events, clock } = open();
    const count = async () => (await events()).find((event) => event["message"] === "x")?.["count"];
    for (let index = 0; index < 30; index++) await recordEvent("x");
    expect(await count()).toBe(25);
    await recordEvent("y", { kind: "EgressIP", name: "other" });
    expect(await events()).toHaveLength(2);
    clock.advance(300_000);
    await recordEvent("x");
    // What was not written counts all the same.
    expect(await count()).toBe(31);
    await recordEvent("x");
    expect(await count()).toBe(31);
  });
});

describe("failures", () => {
  test("what the server refuses is logged and dropped", async () => {
    const { recordEvent, client, log, events } = open();
    client.refuse = () => forbidden({ group: "", resource: "events" }, "", "no");
    await recordEvent("x");
    expect(log.lines).toHaveLength(1);
    client.refuse = () => undefined;
    await recordEvent("y");
    expect(await events()).toHaveLength(1);
  });

  test("what did not reach the server is sent again after a pause", async () => {
    const { recorder, client, clock, events } = open();
    let failures = 1;
    client.refuse = () => (failures-- > 0 ? new Error("unreachable") : undefined);
    recorder.record({ subject: SUBJECT, type: "Normal", reason: "R", message: "x" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(await events()).toHaveLength(0);
    clock.advance(10_000);
    await recorder.flushed();
    expect(await events()).toHaveLength(1);
  });

  test("a recorder that was stopped says nothing", async () => {
    const { recordEvent, abort, events } = open();
    abort.abort();
    await recordEvent("x");
    expect(await events()).toHaveLength(0);
  });
});
