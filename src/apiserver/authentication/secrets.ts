// Values by issued secrets. Only hashes of the secrets are kept, so that a reader of the table cannot use them.
import { createHash } from "node:crypto";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import { systemRandom } from "../../apimachinery/meta/ids.ts";

const SECRET_BYTES = 32;

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64");

export interface SecretLimits {
  readonly lifeMs: number;
  readonly max: number;
  /** Limit per owner, so that no user evicts the secrets of others. */
  readonly maxOfOwner: number;
}

interface Kept<T> {
  readonly value: T;
  readonly endMs: number;
  readonly owner: string;
}

export class Secrets<T> {
  readonly #clock: Clock;
  readonly #limits: SecretLimits;
  readonly #evicted: (value: T) => void;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept<T>>();
  /** Secrets per owner. */
  readonly #counts = new Map<string, number>();

  constructor(clock: Clock, limits: SecretLimits, evicted: (value: T) => void = () => {}) {
    this.#clock = clock;
    this.#limits = limits;
    this.#evicted = evicted;
  }

  /**
   * Issues a secret for the value that `make` returns. Above `maxOfOwner` the owner's oldest secret is evicted.
   * Above `max` the owner with the most secrets loses its oldest.
   */
  issue(owner: string, make: (secret: string) => T): string {
    const secret = Buffer.alloc(SECRET_BYTES);
    systemRandom(secret);
    if ((this.#counts.get(owner) ?? 0) >= this.#limits.maxOfOwner) this.#evictOldestOf(owner);
    if (this.#kept.size >= this.#limits.max) this.#evictOldestOf(this.#largestOwner());
    const text = secret.toString("base64url");
    this.#keep(hashOf(text), { value: make(text), endMs: this.#clock.now() + this.#limits.lifeMs, owner });
    return text;
  }

  #keep(hash: string, kept: Kept<T>): void {
    this.#kept.set(hash, kept);
    this.#counts.set(kept.owner, (this.#counts.get(kept.owner) ?? 0) + 1);
  }

  #delete(hash: string): void {
    const kept = this.#kept.get(hash);
    if (kept === undefined) return;
    this.#kept.delete(hash);
    const rest = (this.#counts.get(kept.owner) ?? 0) - 1;
    if (rest > 0) this.#counts.set(kept.owner, rest);
    else this.#counts.delete(kept.owner);
  }

  #evictOldestOf(owner: string): void {
    for (const [hash, kept] of this.#kept) {
      if (kept.owner !== owner) continue;
      this.#delete(hash);
      this.#evicted(kept.value);
      return;
    }
  }

  #largestOwner(): string {
    let [largest, most] = ["", 0];
    for (const [owner, count] of this.#counts) if (count > most) [largest, most] = [owner, count];
    return largest;
  }

  /** Entries by hash, with their expiry, for persistence. */
  *entries(): Generator<readonly [hash: string, value: T, endMs: number, owner: string]> {
    for (const [hash, { value, endMs, owner }] of this.#kept)
      if (this.#clock.now() < endMs) yield [hash, value, endMs, owner];
  }

  /** Restores an entry that an earlier process has persisted. */
  restore(hash: string, value: T, endMs: number, owner: string): void {
    if (this.#kept.size < this.#limits.max) this.#keep(hash, { value, endMs, owner });
  }

  /** undefined: unknown or expired. */
  find(secret: string): T | undefined {
    const hash = hashOf(secret);
    const kept = this.#kept.get(hash);
    if (kept === undefined || this.#clock.now() < kept.endMs) return kept?.value;
    this.#delete(hash);
    return undefined;
  }

  /** Finds the value and removes the secret. */
  take(secret: string): T | undefined {
    const value = this.find(secret);
    this.#delete(hashOf(secret));
    return value;
  }
}
