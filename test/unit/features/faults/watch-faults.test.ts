import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { BodySink } from "../../../../src/apiserver/endpoints/api-request.ts";
import { encodeWatchFrame, toProtobuf } from "../../../../src/apiserver/endpoints/protobuf/codec.ts";
import type { Fault } from "../../../../src/features/faults/fault.ts";
import { Frames } from "../../../../src/features/faults/watch-tap.ts";
import { faultWorld, KnownConnection, requestOf } from "./support.ts";

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const ADDED = line("ADDED", { metadata: { name: 'a "BOOKMARK"' } });
const MODIFIED = line("MODIFIED", { metadata: { name: "a" } });
const BOOKMARK = line("BOOKMARK", { metadata: { resourceVersion: "7" } });
const INITIAL_END = line("BOOKMARK", { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } });
const EXPIRED = "too old resource version: 5 (100)";

/** A watch whose events the test writes, connected to a client that keeps what it receives. */
function openWatch(query = "watch=1&resourceVersion=5") {
  const world = faultWorld([0.5, 0.1]);
  const connection = new KnownConnection();
  const received: string[] = [];
  const client: BodySink = { write: (chunk) => void received.push(Buffer.from(chunk).toString()) };
  let sink: BodySink | undefined;
  const request = requestOf("/api/v1/namespaces/web/configmaps", { query });
  const response = { status: 200, headers: { "content-type": "application/json" }, body: undefined };
  const watch = world.faults.watching({
    request,
    response,
    body: async (given, signal) => {
      sink = given;
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    connection: () => connection,
  });
  const state = { ended: false };
  const open = () =>
    watch.body(client, connection.gone).then(() => {
      state.ended = true;
    });
  const write = async (...lines: string[]): Promise<void> => {
    void sink?.write(Buffer.from(lines.join("")));
    await turn();
  };
  return { ...world, connection, received, watch, open, write, state };
}

async function afterAdding(fault: Fault, ...lines: string[]) {
  const watch = openWatch();
  void watch.open();
  watch.faults.add(fault);
  await turn();
  await watch.write(...lines);
  return watch;
}

test("without faults what is written goes straight through", async () => {
  const { open, write, received, connection, state, watch } = openWatch();
  void open();
  await write(ADDED, MODIFIED);
  expect(received).toEqual([ADDED + MODIFIED]);
  connection.leave();
  await turn();
  expect([state.ended, watch.cause]).toEqual([true, ""]);
});

describe("a watch ends", () => {
  test("with an ERROR event, also when it is open and idle", async () => {
    const { received, state, write, watch } = await afterAdding({ watchEnd: { how: "expired" } });
    expect(JSON.parse(received[0] ?? "")).toMatchObject({
      type: "ERROR",
      object: { code: 410, reason: "Expired", message: EXPIRED },
    });
    expect([state.ended, watch.cause]).toEqual([true, "fault-1"]);
    await write(ADDED);
    expect(received).toHaveLength(1);
  });

  test("before its first event when the fault was there before", async () => {
    const { open, faults, received, state } = openWatch();
    faults.add({ watchEnd: { how: "expired", message: "no more" } });
    void open();
    await turn();
    expect(JSON.parse(received[0] ?? "")).toMatchObject({ type: "ERROR", object: { message: "no more" } });
    expect(state.ended).toBe(true);
  });

  test("after so many events, of which bookmarks are none", async () => {
    const fault = { watchEnd: { how: "end", afterEvents: 2 } } as const;
    const { received, state } = await afterAdding(fault, ADDED, BOOKMARK, MODIFIED, MODIFIED);
    expect(received).toEqual([ADDED, BOOKMARK, MODIFIED]);
    expect(state.ended).toBe(true);
  });

  test("in the middle of an event, without coming to its end in order", async () => {
    const { received, connection, state, write } = await afterAdding(
      { watchEnd: { how: "cut", afterEvents: 1 } },
      ADDED,
    );
    expect(connection.done).toEqual([]);
    await write(MODIFIED, ADDED);
    expect(received).toEqual([ADDED, MODIFIED.slice(0, MODIFIED.length >> 1)]);
    expect(connection.done).toEqual(["close"]);
    await turn();
    expect(state.ended).toBe(true); // the connection has gone by then
  });

  test.each(["reset", "close", "halfClose"] as const)("with a %s of its connection", async (how) => {
    const { connection } = await afterAdding({ watchEnd: { how } });
    expect(connection.done).toEqual([how]);
  });

  test("hanging, until the client goes", async () => {
    const { received, state, connection } = await afterAdding({ watchEnd: { how: "hang" } }, ADDED);
    expect([received, state.ended]).toEqual([[], false]);
    connection.leave();
    await turn();
    expect(state.ended).toBe(true);
  });
});

test.each<["all" | "periodic" | "initialEventsEnd", string[]]>([
  ["all", [ADDED, MODIFIED]],
  ["periodic", [ADDED, INITIAL_END, MODIFIED]],
  ["initialEventsEnd", [ADDED, BOOKMARK, MODIFIED]],
])("bookmarks are withheld: %s", async (withhold, expected) => {
  const { received } = await afterAdding({ bookmarks: { withhold } }, ADDED, INITIAL_END, BOOKMARK, MODIFIED);
  expect(received).toEqual(expected);
});

test("events come twice", async () => {
  const { received } = await afterAdding({ duplicateEvents: {} }, ADDED, BOOKMARK, MODIFIED);
  expect(received).toEqual([ADDED, ADDED, BOOKMARK, MODIFIED, MODIFIED]);
});

test("a share of the events comes twice", async () => {
  const { received } = await afterAdding({ duplicateEvents: { share: 0.2 } }, ADDED, MODIFIED);
  expect(received).toEqual([ADDED, MODIFIED, MODIFIED]); // 0.5 and 0.1 were drawn
});

test("events come late and in order", async () => {
  const { received, clock, write } = await afterAdding({ lateEvents: { milliseconds: 100 } }, ADDED);
  clock.advance(60);
  await write(MODIFIED);
  clock.advance(40);
  await turn();
  expect(received).toEqual([ADDED]);
  clock.advance(60);
  await turn();
  expect(received).toEqual([ADDED, MODIFIED]);
});

test("bytes trickle", async () => {
  const { received, clock } = await afterAdding({ slow: { bytesPerSecond: 20 } }, ADDED);
  for (let step = 0; step < 5; step++) {
    clock.advance(100);
    await turn();
  }
  expect(received.join("")).toBe(ADDED.slice(0, 10));
});

test("what is done to an open watch ends when the fault is taken away", async () => {
  const { received, write, faults } = await afterAdding({ duplicateEvents: {} }, ADDED);
  faults.add({ watchEnd: { how: "end", afterEvents: 1 } });
  faults.clear();
  await write(MODIFIED, BOOKMARK);
  expect(received).toEqual([ADDED, ADDED, MODIFIED, BOOKMARK]);
});

test("a fault strikes so many of the open watches", async () => {
  const { open, faults } = openWatch();
  void open();
  faults.add({ watchEnd: { how: "hang" }, count: 1, match: { namespace: "web" } });
  expect(faults.list()).toMatchObject([{ matched: 1, fired: 1, spent: true }]);
});

describe("frames", () => {
  test("of JSON", () => {
    const frames = new Frames("application/json;stream=watch");
    const split = [...frames.split(Buffer.from(ADDED + BOOKMARK + INITIAL_END))];
    expect(split.map(String)).toEqual([ADDED, BOOKMARK, INITIAL_END]);
    expect(split.map((frame) => frames.kindOf(frame))).toEqual(["event", "bookmark", "initialEventsEnd"]);
  });

  test("of protobuf", () => {
    const frames = new Frames("application/vnd.kubernetes.protobuf;stream=watch");
    const object = toProtobuf({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
    const made = ["ADDED", "BOOKMARK", "ERROR"].map((type) => encodeWatchFrame(type, object));
    const split = [...frames.split(Buffer.concat(made))];
    expect(split).toEqual(made);
    expect(split.map((frame) => frames.kindOf(frame))).toEqual(["event", "bookmark", "error"]);
  });
});
