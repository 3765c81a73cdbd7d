import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { ApiResponse, BodySink } from "../../../../src/apiserver/endpoints/api-request.ts";
import type { Break } from "../../../../src/features/faults/fault.ts";
import { faultWorld, KnownConnection, OK, requestOf, send } from "./support.ts";

const GET = requestOf("/api/v1/namespaces/web/configmaps/a");
const TEXT = '{"kind":"ConfigMap"}\n';

/** Reads a streamed body as far as it comes. */
function read({ body }: ApiResponse, connection: KnownConnection) {
  const received: string[] = [];
  const sink: BodySink = { write: (chunk) => void received.push(Buffer.from(chunk).toString()) };
  if (typeof body !== "function") throw new Error("the body is whole");
  return { received, done: body(sink, connection.gone) };
}

describe("a connection breaks", () => {
  test.each<[Break, "before" | "after", number]>([
    ["reset", "before", 0],
    ["close", "after", 1],
  ])("%s %s the request", async (how, when, asks) => {
    const { faults } = faultWorld();
    const connection = new KnownConnection();
    faults.add({ disconnect: { how, when } });
    const { response, asked, cause } = await send(faults, GET, connection);
    expect(response).toBeUndefined();
    expect(asked).toHaveLength(asks);
    expect([connection.done, cause]).toEqual([[how], "fault-1"]);
  });

  test("or hangs until the client goes", async () => {
    const { faults } = faultWorld();
    const connection = new KnownConnection();
    faults.add({ disconnect: { how: "hang" } });
    const sent = send(faults, GET, connection);
    await turn();
    connection.leave();
    expect((await sent).response).toBeUndefined();
    expect(connection.done).toEqual([]);
  });

  test("in the middle of the body, whose length has been told", async () => {
    const { faults } = faultWorld();
    const connection = new KnownConnection();
    faults.add({ disconnect: { how: "halfClose", when: "midBody" } });
    const { response } = await send(faults, GET, connection);
    if (response === undefined) throw new Error("there is an answer");
    expect(response.headers).toEqual({ ...OK.headers, "content-length": String(TEXT.length) });
    const { received, done } = read(response, connection);
    await turn();
    expect([received, connection.done]).toEqual([[TEXT.slice(0, TEXT.length >> 1)], ["halfClose"]]);
    connection.leave();
    await done;
  });
});

describe("bytes are slow", () => {
  test("so many a second", async () => {
    const { faults, clock } = faultWorld();
    const connection = new KnownConnection();
    faults.add({ slow: { bytesPerSecond: 100 } });
    const { response } = await send(faults, GET, connection);
    const { received, done } = read(response as ApiResponse, connection);
    clock.advance(100);
    await turn();
    expect(received.join("")).toBe(TEXT.slice(0, 10));
    for (let step = 0; step < 2; step++) {
      clock.advance(100);
      await turn();
    }
    await done;
    expect(received.join("")).toBe(TEXT);
  });

  test("and fewer than one piece a tenth of a second", async () => {
    const { faults, clock } = faultWorld();
    const connection = new KnownConnection();
    faults.add({ slow: { bytesPerSecond: 2 } });
    const { response } = await send(faults, GET, connection);
    const { received, done } = read(response as ApiResponse, connection);
    clock.advance(499);
    await turn();
    expect(received).toEqual([]);
    clock.advance(1);
    await turn();
    expect(received).toEqual(["{"]);
    connection.leave();
    await done;
  });
});
