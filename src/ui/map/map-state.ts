// State of the map. Changes are batched: at most one redraw per REDRAW_MS, in an animation frame. Without changes no
// frame is requested.
import { batch, signal } from "@preact/signals";
import type { Model, Touched } from "../data/model.ts";
import type { PageClock } from "../frame/browser-clock.ts";
import { type Facts, factsOf, MOVING_MS, nodeKey } from "./facts.ts";
import { KnownModel } from "./known.ts";
import { type Move, MoveLog, movesBetween } from "./moves.ts";
import { type Happening, Narrator, nodeChange } from "./narration.ts";

export interface Entry {
  readonly atMs: number;
  readonly sentence: string;
  /** The EgressIP that the "why" link explains. */
  readonly egressIp: string | undefined;
}

const ENTRIES_MAX = 50;
const REDRAW_MS = 100;
/** After a slow redraw the next one waits this multiple of its duration, which leaves time for user input. */
const REST_FACTOR = 3;
const NOTHING: Facts = {
  targets: [],
  nodes: [],
  namespaces: [],
  counts: { bad: 0, twice: 0, wait: 0, move: 0, ok: 0 },
};

interface MapParts {
  readonly model: Model;
  readonly clock: PageClock;
  /** Calls before the next paint; a hidden tab never does. */
  readonly nextFrame: (callback: () => void) => void;
}

export class MapState {
  readonly facts = signal<Facts>(NOTHING);
  /** Moves that came with these facts. */
  readonly arrived = signal<readonly Move[]>([]);
  /** Oldest first. */
  readonly entries = signal<readonly Entry[]>([]);
  readonly known: KnownModel;
  readonly #parts: MapParts;
  readonly #log = new MoveLog();
  readonly #narrator: Narrator;
  #coming: Move[] = [];
  #readiness = new Map<string, Parameters<typeof nodeChange>[0]>();
  /** A redraw is scheduled, or its facts are not shown yet. */
  #isWaiting = false;
  /** There are changes that no facts include yet. */
  #isDue = false;
  #isHeld = true;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Duration of the last redraw in milliseconds, including rendering. */
  #costMs = 0;

  constructor(parts: MapParts) {
    this.#parts = parts;
    this.known = new KnownModel(parts.model);
    this.#narrator = new Narrator(parts.clock, (sentence, { moves: [first] }) => {
      const entry = { atMs: parts.clock.now(), sentence, egressIp: first?.egressIp };
      this.entries.value = [...this.entries.value.slice(1 - ENTRIES_MAX), entry];
    });
  }

  /** Processes changes of the model. isQuiet: a jump in time, which does not count as moves. */
  take(touched: Touched, isQuiet = false): void {
    const { model, clock } = this.#parts;
    this.known.take(touched);
    if (isQuiet) {
      this.#log.clear();
      this.#redraw(0);
      return;
    }
    for (const [uid, before] of touched.egressips)
      for (const move of movesBetween(before, model.egressips.get(uid), clock.now())) this.#coming.push(move);
    for (const [uid, before] of touched.nodes)
      if (!this.#readiness.has(uid)) this.#readiness.set(uid, before);
    this.#redraw(0);
  }

  /** Holds redraws while the initial lists load, because an incomplete model would show wrong states. */
  hold(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    this.#redraw(0);
  }

  #redraw(delayMs: number): void {
    if (delayMs === 0) this.#isDue = true;
    if (this.#isHeld || (this.#isWaiting && delayMs === 0)) return;
    const { clock, nextFrame } = this.#parts;
    if (delayMs === 0) this.#isWaiting = true;
    const restMs = Math.max(REDRAW_MS, REST_FACTOR * this.#costMs);
    const pauseMs = Math.max(delayMs, this.#lastMs + restMs - clock.now());
    const draw = () => nextFrame(() => this.#draw());
    if (pauseMs > 0) clock.after(pauseMs, draw);
    else draw();
  }

  #draw(): void {
    if (this.#isHeld) {
      this.#isWaiting = false;
      return;
    }
    const { clock } = this.#parts;
    const startMs = clock.now();
    this.#isDue = false;
    const moves = this.#log.add(this.#coming);
    this.#coming = [];
    const facts = factsOf(this.known, this.#log.newest, startMs);
    const factsMs = clock.now() - startMs;
    // A separate task: for thousands of objects, facts and rendering together would be one long task.
    clock.after(0, () => this.#show(facts, moves, factsMs));
  }

  #show(facts: Facts, moves: readonly Move[], factsMs: number): void {
    const { clock } = this.#parts;
    const startMs = clock.now();
    this.#isWaiting = false;
    this.#lastMs = startMs;
    batch(() => {
      this.facts.value = facts;
      if (moves.length > 0) this.arrived.value = moves;
    });
    // Rendering runs in microtasks queued before this one.
    queueMicrotask(() => {
      this.#costMs = factsMs + clock.now() - startMs;
      if (this.#isDue) this.#redraw(0); // changes arrived between facts and rendering
    });
    this.#narrator.add({ moves, nodes: this.#nodeChanges(facts) });
    if (moves.length > 0) this.#redraw(MOVING_MS);
  }

  #nodeChanges({ nodes }: Facts): Happening["nodes"] {
    const used = new Map(nodes.map((node) => [node.key, node.used]));
    const changes = [...this.#readiness].flatMap(([uid, before]) => {
      const after = this.#parts.model.nodes.get(uid);
      return nodeChange(before, after, used.get(nodeKey(after?.name ?? "")) ?? 0) ?? [];
    });
    this.#readiness = new Map();
    return changes;
  }
}
