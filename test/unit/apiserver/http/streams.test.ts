import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { yieldToEventLoop } from "../../../../src/apimachinery/scheduling/event-loop.ts";
import { chunkWriter } from "../../../../src/apiserver/http/streams.ts";

/** What each call of the system would be given. */
function socket(): { to: Writable; calls: string[] } {
  const calls: string[] = [];
  const to = new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      calls.push(chunk.toString());
      done();
    },
    writev(chunks, done) {
      calls.push(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)).toString());
      done();
    },
  });
  return { to, calls };
}

test("the first chunk of a turn leaves at once, and all others with its end", async () => {
  const { to, calls } = socket();
  const write = chunkWriter(to);
  for (const text of ["a", "", "bb", "ccc"]) write(Buffer.from(text));
  expect(calls).toEqual(["1\r\na\r\n"]);
  await yieldToEventLoop();
  expect(calls).toEqual(["1\r\na\r\n", "2\r\nbb\r\n3\r\nccc\r\n"]);
  write(Buffer.from("d"));
  expect(calls.at(-1)).toBe("1\r\nd\r\n");
});

test("each client's first chunk leaves at once", () => {
  const [one, other] = [socket(), socket()];
  for (const { to } of [one, other]) chunkWriter(to)(Buffer.from("a"));
  expect([one.calls, other.calls]).toEqual([["1\r\na\r\n"], ["1\r\na\r\n"]]);
});

test("long chunks stand between short ones in their order", async () => {
  const { to, calls } = socket();
  const write = chunkWriter(to);
  const long = "x".repeat(20_000);
  for (const text of ["a", long, "b"]) write(Buffer.from(text));
  await yieldToEventLoop();
  expect(calls.join("")).toBe(`1\r\na\r\n4e20\r\n${long}\r\n1\r\nb\r\n`);
});

test("what is written behind the chunks stays behind them", async () => {
  const { to, calls } = socket();
  const write = chunkWriter(to);
  write(Buffer.from("a"));
  write(Buffer.from("b"));
  to.end("0\r\n\r\n");
  await yieldToEventLoop();
  expect(calls.join("")).toBe("1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
});
