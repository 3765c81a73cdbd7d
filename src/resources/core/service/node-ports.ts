// Takes node ports. Each port that is somebody's is a key of its own in the store, which comes and goes together with
// the Service; its value only says to people whose it is.
import { greatest } from "../../../meta/lists.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import type { Claims } from "../../../registry/definition/strategy.ts";
import type { ServiceNetwork } from "./network.ts";

/**
 * The beginning of the range is left to those who choose their port themselves: a part of it, within bounds (KEP-3668).
 * Ports that are not chosen come from there only when the rest is taken.
 */
const CHOSEN_PART = 32;
const CHOSEN_MIN = 16;
const CHOSEN_MAX = 128;
/** A dry run takes nothing, and is answered with ports behind this one, as by a real server. */
const DRY_RUN_PORT = 32_768;

/** What keeps a port from being taken, in the words of a real server. */
export class PortRefusal extends Error {}

export class NodePorts {
  readonly #network: ServiceNetwork;
  readonly #claims: Claims;
  readonly #holder: Uint8Array;
  /** What this write has taken. */
  readonly #taken = new Set<number>();

  constructor(network: ServiceNetwork, claims: Claims, { metadata }: Readonly<KubeObject>) {
    this.#network = network;
    this.#claims = claims;
    this.#holder = Buffer.from(`${metadata.namespace}/${metadata.name}`);
  }

  /** Throws PortRefusal. */
  take(port: number): void {
    const { first, last } = this.#network.nodePorts;
    if (!this.#claims.dryRun && (port < first || port > last)) {
      const rule = `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
      throw new PortRefusal(rule);
    }
    if (this.#isTaken(port)) throw new PortRefusal("provided port is already allocated");
    this.#keep(port);
  }

  /** Throws PortRefusal. */
  takeAny(): number {
    const port = this.#claims.dryRun ? greatest(this.#taken, 0) || DRY_RUN_PORT : this.#free();
    if (port === undefined) throw new PortRefusal("range is full");
    const chosen = this.#claims.dryRun ? port + 1 : port;
    this.#keep(chosen);
    return chosen;
  }

  giveBack(port: number): void {
    this.#claims.giveBack(keyOf(port));
  }

  #isTaken(port: number): boolean {
    return this.#taken.has(port) || this.#claims.isTaken(keyOf(port));
  }

  #keep(port: number): void {
    this.#taken.add(port);
    if (!this.#claims.dryRun) this.#claims.take(keyOf(port), this.#holder);
  }

  #free(): number | undefined {
    const { first, last } = this.#network.nodePorts;
    const size = last - first + 1;
    const part = Math.floor(size / CHOSEN_PART);
    const chosen = size < CHOSEN_MIN ? 0 : Math.min(Math.max(part, CHOSEN_MIN), CHOSEN_MAX);
    return this.#search(first + chosen, last) ?? this.#search(first, first + chosen - 1);
  }

  /** From a place by chance to the end, and round to the start. */
  #search(from: number, to: number): number | undefined {
    const size = to - from + 1;
    if (size <= 0) return undefined;
    const start = Number(this.#claims.random(BigInt(size)));
    for (let step = 0; step < size; step++) {
      const port = from + ((start + step) % size);
      if (!this.#isTaken(port)) return port;
    }
    return undefined;
  }
}

const keyOf = (port: number): string => `/registry/ranges/servicenodeports/${port}`;
