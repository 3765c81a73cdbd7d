// Memory of long queries. A selector of 1 MiB holds about 4 MiB as long as its request lasts: the URL, the decoded value and
// the compiled form. A watch lasts half an hour, so what the requests of a user hold together is limited. Administrators
// (system:masters) have a share of their own.
import { tooManyRequests } from "../../../apimachinery/meta/status.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { isPrivileged } from "../../authorization/access-check.ts";
import type { UserInfo } from "../../registry/definition/request-context.ts";
import type { ApiRequest, ApiResponse } from "../api-request.ts";
import { parseLongLabelSelector } from "./read-label-selector.ts";

/** Shorter queries are not counted. */
const LONG_QUERY_CHARS = 16 * 1024;
/** Memory for each character of a query. */
const BYTES_PER_CHAR = 4;
/** All users together may hold as much as this many users, and administrators as much again. */
const USERS_AT_LIMIT = 4;
const RETRY_SECONDS = 1;

const MEBIBYTE = 1024 * 1024;
export const QUERY_BYTES_PER_USER = 16 * MEBIBYTE;

export class LongQueries {
  readonly #perUserBytes: number;
  readonly #byUser = new Map<string, number>();
  #privilegedBytes = 0;
  #otherBytes = 0;

  /** 0: no limit. */
  constructor(perUserBytes: number) {
    this.#perUserBytes = perUserBytes || Number.POSITIVE_INFINITY;
  }

  isLong({ query }: ApiRequest): boolean {
    return query.text.length > LONG_QUERY_CHARS;
  }

  /**
   * Handles a request with a long query in an event-loop turn of its own, because parsing takes long. Its memory
   * counts until the response is complete or a streamed response has ended. Throws 429.
   */
  async answer(request: ApiRequest, verb: () => ApiResponse | Promise<ApiResponse>): Promise<ApiResponse> {
    const release = this.#hold(request.user, request.query.text.length * BYTES_PER_CHAR);
    let isStreamed = false;
    try {
      await ownTurn();
      await parseLongLabelSelector(request.query);
      const response = await verb();
      const { body } = response;
      if (typeof body !== "function") return response;
      isStreamed = true;
      return { ...response, body: (sink, signal) => body(sink, signal).finally(release) };
    } finally {
      if (!isStreamed) release();
    }
  }

  #hold(user: UserInfo, bytes: number): () => void {
    const all = this.#perUserBytes * USERS_AT_LIMIT;
    if (isPrivileged(user)) {
      if (this.#privilegedBytes + bytes > all) throw tooMuch("of administrators");
      this.#privilegedBytes += bytes;
      return () => {
        this.#privilegedBytes -= bytes;
      };
    }
    const held = this.#byUser.get(user.name) ?? 0;
    if (held + bytes > this.#perUserBytes) throw tooMuch("of this user");
    if (this.#otherBytes + bytes > all) throw tooMuch("of all users");
    this.#add(user.name, bytes);
    return () => this.#add(user.name, -bytes);
  }

  #add(name: string, bytes: number): void {
    this.#otherBytes += bytes;
    const held = (this.#byUser.get(name) ?? 0) + bytes;
    if (held > 0) this.#byUser.set(name, held);
    else this.#byUser.delete(name);
  }
}

const tooMuch = (whose: string) =>
  tooManyRequests(
    `the long queries ${whose} hold too much memory; close watches with long selectors or use shorter ones`,
    RETRY_SECONDS,
  );
