// An administrator reading and writing small objects, one request after another, each on a new connection.
import { setTimeout as delay } from "node:timers/promises";
import type { BuiltServer } from "../built-server.ts";
import { blow } from "./attack.ts";

const PAUSE_MS = 100;
const GIVEN_UP_MS = 30_000;
const NAMESPACE = "/api/v1/namespaces/kube-public";

export interface Answers {
  readonly answered: number;
  /** Requests with an unexpected answer: method, path, status. */
  readonly failures: readonly string[];
  readonly longestMs: number;
}

export class Administrator {
  readonly #server: BuiltServer;
  readonly #failures: string[] = [];
  readonly #work: Promise<void>;
  #answered = 0;
  #longestMs = 0;
  #ended = false;

  private constructor(server: BuiltServer) {
    this.#server = server;
    this.#work = this.#go();
  }

  static begin(server: BuiltServer): Administrator {
    return new Administrator(server);
  }

  /** Ends after the current round, or after a first one. */
  async end(): Promise<Answers> {
    this.#ended = true;
    await this.#work;
    return { answered: this.#answered, failures: this.#failures, longestMs: this.#longestMs };
  }

  async #go(): Promise<void> {
    do {
      await this.#expect("GET", `${NAMESPACE}/configmaps`, 200);
      await this.#expect("POST", `${NAMESPACE}/events`, 201, EVENT);
      await delay(PAUSE_MS);
    } while (!this.#ended);
  }

  async #expect(method: string, path: string, wanted: number, body?: string): Promise<void> {
    const from = performance.now();
    const sent = { method, path, ms: GIVEN_UP_MS, ...(body === undefined ? {} : { body }) };
    const status = await blow(this.#server, "root", sent);
    this.#longestMs = Math.max(this.#longestMs, performance.now() - from);
    if (status === wanted) this.#answered++;
    else this.#failures.push(`${method} ${path}: ${status}`);
  }
}

const EVENT = JSON.stringify({
  apiVersion: "v1",
  kind: "Event",
  metadata: { generateName: "work-" },
  involvedObject: { namespace: "kube-public" },
});
