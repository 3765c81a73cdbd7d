// gzip compression of responses, as in a kube-apiserver (feature APIResponseCompression): at the fastest level,
// above 128 KiB. libuv threads compress slice by slice: the event loop only hands slices over, and some threads stay
// free for LevelDB.
import { constants, createGzip, type Gzip } from "node:zlib";
import type { ApiResponse, BodySink, StreamBody } from "../endpoints/api-request.ts";
import { PLAIN_BYTES_MAX } from "./gzip-wanted.ts";

const SLICE_BYTES = 256 * 1024;
/** Of libuv's four threads. */
const JOBS_MAX = 2;
/** Incompressible data also fits into the output buffer, so that no job waits for a reader. */
const OUTPUT_BYTES_MAX = 2 * SLICE_BYTES;

/** Compresses a large response. Streamed bodies run until their size is known to be above the limit. */
export async function compressed(answered: ApiResponse): Promise<ApiResponse> {
  const { body } = answered;
  if (typeof body === "function") return await compressedStream(answered, body);
  if (body === undefined || body.byteLength <= PLAIN_BYTES_MAX) return answered;
  return { ...answered, headers: zippedHeaders(answered), body: await gzipWhole(body) };
}

function zippedHeaders({ headers }: ApiResponse): ApiResponse["headers"] {
  const { "content-length": _plain, vary = [], ...rest } = headers;
  return { ...rest, "content-encoding": "gzip", vary: [...[vary].flat(), "Accept-Encoding"] };
}

export async function gzipWhole(bytes: Uint8Array): Promise<Uint8Array> {
  const out: Uint8Array[] = [];
  const sink = new GzipSink({ write: (chunk) => void out.push(chunk) });
  try {
    await sink.write(bytes);
    await sink.end();
  } finally {
    sink.destroy();
  }
  return Buffer.concat(out);
}

async function compressedStream(answered: ApiResponse, body: StreamBody): Promise<ApiResponse> {
  const { "content-length": length } = answered.headers;
  if (Number(length) > PLAIN_BYTES_MAX)
    return {
      ...answered,
      headers: zippedHeaders(answered),
      body: (sink, signal) => zipTo(sink, signal, body),
    };
  const start = new StreamStart();
  const stop = new AbortController();
  const made = body(start, stop.signal);
  const isWhole = await Promise.race([made.then(() => true), start.isLarge.then(() => false)]).catch(
    () => false,
  );
  if (isWhole) return { ...answered, body: start.bytes() };
  const rest: StreamBody = (sink, signal) => {
    start.goOn(sink);
    if (signal.aborted) stop.abort();
    signal.addEventListener("abort", () => stop.abort(), { once: true });
    return made;
  };
  return { ...answered, headers: zippedHeaders(answered), body: (sink, signal) => zipTo(sink, signal, rest) };
}

/** Buffers the first chunks of a body. Above the limit the body waits for its final sink. */
class StreamStart implements BodySink {
  readonly isLarge: Promise<void>;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #noteLarge = (): void => {};
  #sink: BodySink | undefined;
  #goOn: (() => void) | undefined;

  constructor() {
    this.isLarge = new Promise((resolve) => {
      this.#noteLarge = resolve;
    });
  }

  write(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#sink !== undefined) return this.#sink.write(chunk);
    this.#chunks.push(chunk);
    this.#length += chunk.byteLength;
    if (this.#length <= PLAIN_BYTES_MAX) return undefined;
    this.#noteLarge();
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  cut(): void {
    this.#sink?.cut?.();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  goOn(sink: BodySink): void {
    this.#sink = sink;
    const read = sink.write(this.bytes());
    if (read === undefined) this.#goOn?.();
    else void read.then(() => this.#goOn?.());
  }
}

async function zipTo(to: BodySink, signal: AbortSignal, body: StreamBody): Promise<void> {
  const sink = new GzipSink(to);
  try {
    await body(sink, signal);
    if (!signal.aborted) await sink.end();
  } finally {
    sink.destroy();
  }
}

/** Compresses chunks into another sink, with that sink's backpressure. */
class GzipSink implements BodySink {
  readonly #to: BodySink;
  readonly #gzip: Gzip;

  constructor(to: BodySink) {
    this.#to = to;
    const level = constants.Z_BEST_SPEED;
    this.#gzip = createGzip({ level, chunkSize: 64 * 1024, highWaterMark: OUTPUT_BYTES_MAX } as object);
    this.#gzip.on("error", () => {}); // the call that meets it rejects
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; at += SLICE_BYTES) {
      const slice = chunk.subarray(at, at + SLICE_BYTES);
      await inJob(() => this.#compress(slice));
      for (let out = this.#gzip.read(); out !== null; out = this.#gzip.read()) await this.#to.write(out);
    }
  }

  cut(): void {
    this.#to.cut?.();
  }

  async end(): Promise<void> {
    const rest = await inJob(async () => await this.#gzip.end().toArray());
    for (const out of rest) await this.#to.write(out);
  }

  destroy(): void {
    this.#gzip.destroy();
  }

  #compress(slice: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#gzip.write(slice, (error) => (error ? reject(error) : resolve()));
    });
  }
}

let jobs = 0;
const waiting: (() => void)[] = [];

async function inJob<T>(work: () => Promise<T>): Promise<T> {
  if (jobs < JOBS_MAX) jobs++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) jobs--;
    else next();
  }
}
