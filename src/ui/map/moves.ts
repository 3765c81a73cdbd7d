// Moves of addresses between nodes: derived from two versions of an EgressIP, and kept in a bounded log.
import type { EgressIpRecord } from "../data/records.ts";

/** "" means unassigned. */
export interface Move {
  readonly egressIp: string;
  readonly address: string;
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
}

export const moveKey = (egressIp: string, address: string): string => `${egressIp} ${address}`;

/**
 * Assignment changes between two versions. Creation and deletion of the EgressIP are no moves, nor are changes of
 * addresses that the spec does not request.
 */
export function movesBetween(
  before: Pick<EgressIpRecord, "assigned"> | undefined,
  after: EgressIpRecord | undefined,
  atMs: number,
): Move[] {
  if (!before || !after || before.assigned === after.assigned) return [];
  const old = new Map(before.assigned.map(({ address, node }) => [address, node]));
  const now = new Map(after.assigned.map(({ address, node }) => [address, node]));
  const wanted = new Set(after.addresses);
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((address) => wanted.has(address) && old.get(address) !== now.get(address))
    .map((address) => ({
      ...{ egressIp: after.name, address, atMs },
      ...{ from: old.get(address) ?? "", to: now.get(address) ?? "" },
    }));
}

/** An address that is unassigned for less than this counts as moved directly from its previous node. */
const GAP_MS = 10_000;
const MOVES_MAX = 5_000;

/** The newest move of each address; the oldest entries are dropped first. */
export class MoveLog {
  readonly newest = new Map<string, Move>();

  /** Adds moves and returns them, with short unassigned gaps merged. */
  add(moves: readonly Move[]): Move[] {
    return moves.map((move) => {
      const key = moveKey(move.egressIp, move.address);
      const last = this.newest.get(key);
      const isGap = move.from === "" && last?.to === "" && move.atMs - last.atMs < GAP_MS;
      const told = isGap ? { ...move, from: last.from === move.to ? "" : last.from } : move;
      this.newest.delete(key);
      this.newest.set(key, told);
      const [oldest] = this.newest.keys();
      if (this.newest.size > MOVES_MAX && oldest !== undefined) this.newest.delete(oldest);
      return told;
    });
  }

  clear(): void {
    this.newest.clear();
  }
}
