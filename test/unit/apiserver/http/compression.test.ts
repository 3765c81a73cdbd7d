// gzip encoding of answers: the decision before the first byte, back-pressure, and failures in transfer.
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { ApiResponse, BodySink, StreamBody } from "../../../../src/apiserver/endpoints/api-request.ts";
import { compressed } from "../../../../src/apiserver/http/compression.ts";
import { PLAIN_BYTES_MAX } from "../../../../src/apiserver/http/gzip-wanted.ts";

const answerOf = (body: StreamBody, headers = {}): ApiResponse => ({ status: 200, headers, body });

/** Chunks that do not get smaller. */
const chunk = (size: number, of: number): Buffer => {
  const bytes = Buffer.alloc(size);
  for (let at = 0, state = of + 1; at < size; at++) {
    state = (state * 48_271) % 2_147_483_647;
    bytes[at] = state >>> 8;
  }
  return bytes;
};

function streamOf(chunks: readonly Uint8Array[]): StreamBody {
  return async (sink, signal) => {
    for (const bytes of chunks) {
      if (signal.aborted) return;
      await sink.write(bytes);
    }
  };
}

async function sent(
  { body }: ApiResponse,
  sink?: BodySink,
  signal = new AbortController().signal,
): Promise<Buffer> {
  if (typeof body !== "function") return Buffer.from(body ?? []);
  const out: Uint8Array[] = [];
  await body(sink ?? { write: (bytes) => void out.push(bytes) }, signal);
  return Buffer.concat(out);
}

test("a stream of up to 128 KiB becomes a whole answer, as it is", async () => {
  const halves = [chunk(PLAIN_BYTES_MAX / 2, 1), chunk(PLAIN_BYTES_MAX / 2, 2)];
  const answer = await compressed(answerOf(streamOf(halves)));
  expect(answer.headers).toEqual({});
  expect(await sent(answer)).toEqual(Buffer.concat(halves));
});

test.each([
  ["whose length is not known", {}],
  ["whose length is known", { "content-length": "1000000", vary: "Accept" }],
])("a longer stream %s is compressed", async (_name, headers) => {
  const chunks = [1, 2, 3, 4, 5, 6, 7].map((of) => chunk(PLAIN_BYTES_MAX, of));
  const answer = await compressed(answerOf(streamOf(chunks), headers));
  const vary = "vary" in headers ? ["Accept", "Accept-Encoding"] : ["Accept-Encoding"];
  expect(answer.headers).toEqual({ "content-encoding": "gzip", vary });
  expect(gunzipSync(await sent(answer)).equals(Buffer.concat(chunks))).toBe(true);
});

test("nothing more is made while the client does not read", async () => {
  let made = 0;
  const body: StreamBody = async (sink) => {
    for (; made < 50; made++) await sink.write(chunk(PLAIN_BYTES_MAX, made));
  };
  const answer = await compressed(answerOf(body));
  let read = () => {};
  const written: Uint8Array[] = [];
  const ended = sent(answer, {
    write(bytes) {
      written.push(bytes);
      return new Promise((resolve) => {
        read = resolve;
      });
    },
  });
  const still = async () => {
    for (let before = -1; before !== made; await new Promise((resolve) => setTimeout(resolve, 30)))
      before = made;
    return made;
  };
  expect(await still()).toBeLessThan(5);
  const reading = setInterval(() => read(), 0);
  await ended;
  clearInterval(reading);
  expect(gunzipSync(Buffer.concat(written)).length).toBe(50 * PLAIN_BYTES_MAX);
});

test.each([0, 5])("a stream that fails after %i chunks fails, and does not end", async (count) => {
  const body: StreamBody = async (sink) => {
    for (let at = 0; at < count; at++) await sink.write(chunk(PLAIN_BYTES_MAX, at));
    throw new Error("no more");
  };
  await expect(sent(await compressed(answerOf(body)))).rejects.toThrow("no more");
});

test("a stream ends when its client goes", async () => {
  const gone = new AbortController();
  let made = 0;
  const body: StreamBody = async (sink, signal) => {
    for (; !signal.aborted; made++) await sink.write(chunk(PLAIN_BYTES_MAX, made));
  };
  const answer = await compressed(answerOf(body));
  const write = () => {
    if (made > 5) gone.abort();
    return undefined;
  };
  await sent(answer, { write }, gone.signal);
  expect(gone.signal.aborted).toBe(true);
});
