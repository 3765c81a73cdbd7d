// Memory budget of requests and responses until clients have sent or read them. It is bounded per user and in total,
// as seats are in a kube-apiserver's priority and fairness. Above it the response is 429. Administrators have a
// share of their own.
import type { IncomingMessage, ServerResponse } from "node:http";
import { getHeapStatistics } from "node:v8";
import { isPrivileged } from "../authorization/access-check.ts";
import type { ApiResponse, BodySink, StreamBody } from "../endpoints/api-request.ts";
import { UNREAD_BYTES_MAX } from "./streams.ts";

type User = Parameters<typeof isPrivileged>[0] & { readonly name: string };

/** Total budget as a share of the heap limit. */
const SHARE_OF_HEAP = 1 / 4;
/** Share of all users without full permissions, and of each such user. */
const SHARE_OF_OTHERS = 3 / 4;
const SHARE_OF_USER = 1 / 2;
/** Minimum, so that one response is always possible. */
const TOTAL_BYTES_LEAST = 64 * 1024 * 1024;

export function budgetBytes(heapBytes = getHeapStatistics().heap_size_limit): number {
  return Math.max(TOTAL_BYTES_LEAST, Math.floor(heapBytes * SHARE_OF_HEAP));
}

export class AnswerBudget {
  readonly #max: number;
  readonly #byUser = new Map<string, number>();
  #others = 0;
  #all = 0;

  constructor(totalBytesMax: number) {
    this.#max = totalBytesMax;
  }

  /** Bytes that are reserved now. */
  get bytes(): number {
    return this.#all;
  }

  /** Reserves bytes. Returns an idempotent release function; undefined when the budget is exhausted. */
  reserve(user: User, bytes: number): (() => void) | undefined {
    const isExempt = isPrivileged(user);
    const own = this.#byUser.get(user.name) ?? 0;
    if (this.#all + bytes > this.#max) return undefined;
    if (!isExempt) {
      if (this.#others + bytes > this.#max * SHARE_OF_OTHERS) return undefined;
      if (own + bytes > this.#max * SHARE_OF_USER) return undefined;
      this.#others += bytes;
      this.#byUser.set(user.name, own + bytes);
    }
    this.#all += bytes;
    let isReserved = true;
    return () => {
      if (!isReserved) return;
      isReserved = false;
      this.#all -= bytes;
      if (!isExempt) this.#giveBack(user.name, bytes);
    };
  }

  #giveBack(name: string, bytes: number): void {
    this.#others -= bytes;
    const rest = (this.#byUser.get(name) ?? 0) - bytes;
    if (rest > 0) this.#byUser.set(name, rest);
    else this.#byUser.delete(name);
  }
}

/** Smaller responses are not counted: accounting would cost more. */
const SMALL_BYTES_MAX = 64 * 1024;
/** Smaller request heads are not counted: nearly all have a few hundred bytes. */
const SMALL_HEAD_BYTES_MAX = 16 * 1024;
/** Memory of a streamed body's source: a decoded object of some hundred kilobytes. */
const OBJECT_BYTES = 2 * 1024 * 1024;

/** Memory of a request's URL and headers; 0 below the minimum. */
export function heldByHead({ url = "", rawHeaders }: Pick<IncomingMessage, "url" | "rawHeaders">): number {
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes > SMALL_HEAD_BYTES_MAX ? bytes : 0;
}

/** Memory of a response until it is read; 0 below the minimum. */
export function heldByAnswer({ body, heldBytes = OBJECT_BYTES }: ApiResponse): number {
  if (typeof body === "function") return UNREAD_BYTES_MAX + heldBytes;
  const bytes = body?.byteLength ?? 0;
  return bytes > SMALL_BYTES_MAX ? bytes : 0;
}

/** Reserves memory until the response is sent or has failed. False when the budget is exhausted. */
export function reserveUntilSent(
  budget: AnswerBudget,
  user: User,
  response: ServerResponse,
  bytes: number,
): boolean {
  if (bytes === 0) return true;
  const giveBack = budget.reserve(user, bytes);
  if (giveBack === undefined) return false;
  if (response.destroyed || response.closed) giveBack();
  else response.once("close", giveBack);
  return true;
}

/**
 * A watch whose unread bytes are reserved while its client does not read; without budget the slow watcher is
 * disconnected.
 */
export function boundedWatch(body: StreamBody, budget: AnswerBudget, user: User): StreamBody {
  return (sink, signal) => body(boundedSink(sink, budget, user), signal);
}

function boundedSink(sink: BodySink, budget: AnswerBudget, user: User): BodySink {
  return {
    write(chunk) {
      const read = sink.write(chunk);
      if (read === undefined) return undefined;
      const giveBack = budget.reserve(user, UNREAD_BYTES_MAX + chunk.byteLength);
      if (giveBack === undefined) sink.cut?.();
      return giveBack === undefined ? read : read.then(giveBack);
    },
    cut: () => sink.cut?.(),
  };
}
