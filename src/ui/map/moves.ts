// Which addresses went from node to node: told by two states of an EgressIP, and kept for a while.
import type { EgressIpRecord } from "../data/records.ts";

/** "" stands for no node. */
export interface Move {
  readonly egressIp: string;
  readonly address: string;
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
}

export const moveKey = (egressIp: string, address: string): string => `${egressIp} ${address}`;

/** What differs between two states of one EgressIP; what appears or goes with its object has not moved. */
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

/** An address that was nowhere for less than this has moved from where it was before. */
const GAP_MS = 10_000;
const MOVES_MAX = 5_000;

/** The newest move of each address, the oldest forgotten first. */
export class MoveLog {
  readonly newest = new Map<string, Move>();

  /** Takes moves in; answers them as they are to be told, a gap without a node closed. */
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
