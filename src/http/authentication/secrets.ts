// Values behind secrets that were given away: here only hashes of those are kept, so that nobody who sees them can use them.
import { createHash } from "node:crypto";
import type { Clock } from "../../meta/clock.ts";
import { systemRandom } from "../../meta/ids.ts";

const SECRET_BYTES = 32;

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64");

export class Secrets<T> {
  readonly #clock: Clock;
  readonly #limits: { readonly lifeMs: number; readonly max: number };
  /** The oldest first. */
  readonly #kept = new Map<string, { readonly value: T; readonly endMs: number }>();

  constructor(clock: Clock, limits: { readonly lifeMs: number; readonly max: number }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** A secret for what is made of it. Where there are too many the oldest is forgotten. */
  issue(make: (secret: string) => T): string {
    const secret = Buffer.alloc(SECRET_BYTES);
    systemRandom(secret);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= this.#limits.max) this.#kept.delete(oldest);
    const text = secret.toString("base64url");
    this.#kept.set(hashOf(text), { value: make(text), endMs: this.#clock.now() + this.#limits.lifeMs });
    return text;
  }

  /** By the hashes of their secrets, with their ends: what another process can go on with. */
  *entries(): Generator<readonly [hash: string, value: T, endMs: number]> {
    for (const [hash, { value, endMs }] of this.#kept)
      if (this.#clock.now() < endMs) yield [hash, value, endMs];
  }

  /** What another process has kept. */
  restore(hash: string, value: T, endMs: number): void {
    if (this.#kept.size < this.#limits.max) this.#kept.set(hash, { value, endMs });
  }

  /** undefined: there was none such, or it is too old. */
  find(secret: string): T | undefined {
    const hash = hashOf(secret);
    const kept = this.#kept.get(hash);
    if (kept === undefined || this.#clock.now() < kept.endMs) return kept?.value;
    this.#kept.delete(hash);
    return undefined;
  }

  /** Finds it for the last time. */
  take(secret: string): T | undefined {
    const value = this.find(secret);
    this.#kept.delete(hashOf(secret));
    return value;
  }
}
