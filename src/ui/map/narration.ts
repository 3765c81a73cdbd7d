// Sentences about recent changes, for display and for screen readers.
import type { NodeRecord } from "../data/records.ts";
import type { PageClock } from "../frame/browser-clock.ts";
import type { Move } from "./moves.ts";

export interface NodeChange {
  readonly node: string;
  readonly isReady: boolean;
  /** Number of addresses assigned to the node now. */
  readonly used: number;
}

export interface Happening {
  readonly moves: readonly Move[];
  readonly nodes: readonly NodeChange[];
}

/** undefined: readiness has not changed. */
export const nodeChange = (
  before: Pick<NodeRecord, "isReady"> | undefined,
  after: NodeRecord | undefined,
  used: number,
): NodeChange | undefined =>
  before && after && before.isReady !== after.isReady
    ? { node: after.name, isReady: after.isReady, used }
    : undefined;

/** "" if there is nothing to report. */
export function sentenceOf({ moves, nodes }: Happening): string {
  const [only, ...others] = moves;
  const told = only === undefined ? [] : others.length === 0 ? [oneMove(only)] : manyMoves(moves);
  const changes = nodes.length > NAMES_MAX ? [nodesSentence(nodes)] : nodes.map(nodeSentence);
  return [...changes, ...told].join(" ");
}

function nodeSentence({ node, isReady, used }: NodeChange): string {
  if (!isReady) return `${node} is not Ready.`;
  const carries = used === 0 ? "no address" : used === 1 ? "1 address" : `${used} addresses`;
  return `${node} is Ready again; it carries ${carries}.`;
}

function nodesSentence(nodes: readonly NodeChange[]): string {
  const lost = nodes.filter(({ isReady }) => !isReady).length;
  return `${lost} nodes are not Ready, ${nodes.length - lost} are Ready again.`;
}

function oneMove({ egressIp, address, from, to }: Move): string {
  const what = `${address} of EgressIP ${egressIp}`;
  if (to === "") return `${what} has no node any more; it was on ${from}.`;
  return from === "" ? `${what} is on ${to} now.` : `${what} moved from ${from} to ${to}.`;
}

/** Up to this number of nodes each one is named; beyond it they are counted. */
const NAMES_MAX = 4;

/** Grouped by the old node, and within it by the new one. */
function manyMoves(moves: readonly Move[]): string[] {
  const byOld = grouped(moves, ({ from }) => from);
  if (byOld.size > NAMES_MAX) return placesOf(moves, byOld.has("") ? "" : `${byOld.size} nodes`);
  return [...byOld].flatMap(([from, left]) => placesOf(left, from));
}

function placesOf(moves: readonly Move[], from: string): string[] {
  const placed = [...grouped(moves, ({ to }) => to)].filter(([to]) => to !== "");
  const lost = moves.filter(({ to }) => to === "").length;
  const told = placed
    .sort((a, b) => b[1].length - a[1].length)
    .map(([to, some]) => `${some.length} to ${to}`);
  const where = told.length > NAMES_MAX ? `to ${told.length} nodes` : told.join(", ");
  return [
    ...(placed.length > 0 ? [`${begin(moves.length - lost, from)}: ${where}.`] : []),
    ...(lost > 0 ? [`${lost} ${lost === 1 ? "has" : "have"} no node.`] : []),
  ];
}

const begin = (count: number, from: string): string =>
  `${count} ${count === 1 ? "address" : "addresses"} ${from === "" ? "found a node" : `moved from ${from}`}`;

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const members = found.get(keyOf(item));
    if (members) members.push(item);
    else found.set(keyOf(item), [item]);
  }
  return found;
}

/** Changes within this time are reported together, in milliseconds. */
const TOGETHER_MS = 250;
/** Minimum pause between messages, so that screen readers are not interrupted. */
const PAUSE_MS = 3_000;

/** Batches changes into messages with a minimum pause between them. */
export class Narrator {
  readonly #clock: PageClock;
  readonly #say: (sentence: string, happening: Happening) => void;
  #waiting: Happening = { moves: [], nodes: [] };
  #lastMs = Number.NEGATIVE_INFINITY;
  #callOff: (() => void) | undefined;

  constructor(clock: PageClock, say: (sentence: string, happening: Happening) => void) {
    this.#clock = clock;
    this.#say = say;
  }

  add({ moves, nodes }: Happening): void {
    if (moves.length === 0 && nodes.length === 0) return;
    const { moves: earlier, nodes: others } = this.#waiting;
    this.#waiting = { moves: [...earlier, ...moves], nodes: [...others, ...nodes] };
    const pauseMs = this.#lastMs + PAUSE_MS - this.#clock.now();
    this.#callOff ??= this.#clock.after(Math.max(TOGETHER_MS, pauseMs), () => this.#speak());
  }

  stop(): void {
    this.#callOff?.();
    this.#callOff = undefined;
  }

  #speak(): void {
    this.#callOff = undefined;
    this.#lastMs = this.#clock.now();
    const happening = { moves: newest(this.#waiting.moves), nodes: this.#waiting.nodes };
    this.#waiting = { moves: [], nodes: [] };
    const sentence = sentenceOf(happening);
    if (sentence !== "") this.#say(sentence, happening);
  }
}

/** Merges several moves of an address into one, from the first node to the last. */
function newest(moves: readonly Move[]): Move[] {
  const found = new Map<string, Move>();
  for (const move of moves) {
    const key = `${move.egressIp} ${move.address}`;
    found.set(key, { ...move, from: found.get(key)?.from ?? move.from });
  }
  return [...found.values()].filter(({ from, to }) => from !== to);
}
