// The turns of the process: in each, what has come in is answered. Long work pauses, so that others have their turn.
import { elapsedMs } from "./clock.ts";

/** How many wait for a turn and go on by themselves. */
let pauses = 0;

/**
 * Resolves when the process has done all that it can do without time passing or anything coming in: then what still
 * waits, waits for a timer, a disk or a peer. Who waits so counts as being at work.
 */
export async function nextTurn(): Promise<void> {
  pauses++;
  await turnOfOthers();
  pauses--;
}

/** The same for who only looks whether others are at work. */
export const turnOfOthers = (): Promise<void> => new Promise((goOn) => setImmediate(goOn));

/** Whether somebody waits for a turn, and will go on. */
export const somebodyPauses = (): boolean => pauses > 0;

/** So long may work go on before what has come in meanwhile gets its turn. */
const TURN_MS = 10;
/** The same of each while others wait to go on: none of them has to wait for the longest. */
const SLICE_MS = 1;
let turnBegan: number | undefined;
let sliceBegan = 0;

/** About as often is asked in so long a turn whether it is long. */
const TURN_ASKS = 5000;
let asks = 0;
let counters = 0;

/**
 * Until the function is called that this returns, a turn is long when that was asked often, however long it lasts: what is
 * to repeat byte by byte must not depend on how fast the machine is just then.
 */
export function turnsByCount(): () => void {
  let counts = 1;
  counters += counts;
  return () => {
    counters -= counts;
    counts = 0;
  };
}

/** Whether this turn of the process has lasted so long that others should have theirs. */
export function turnIsLong(): boolean {
  asks++;
  const now = elapsedMs();
  if (turnBegan === undefined) {
    turnBegan = now;
    asks = 0;
    setImmediate(() => {
      turnBegan = undefined;
    });
    return newcomersFirst();
  }
  if (counters > 0) return asks > TURN_ASKS;
  if (newcomersFirst()) return true;
  return waiting.length > 0 ? now - Math.max(turnBegan, sliceBegan) > SLICE_MS : now - turnBegan > TURN_MS;
}

/** A pause until the next turn when this one has lasted long, else undefined. For work that others wait for. */
export function pauseOneTurn(): Promise<void> | undefined {
  return turnIsLong() ? nextTurn() : undefined;
}

/**
 * A pause for others when this turn has lasted long, else undefined. For work that goes on by itself, be it in a loop or
 * from one promise to the next: nothing else would run before its end. Those who pause go on in the order in which they have
 * paused, each for a slice of a turn, and as many in a turn as it has time for.
 */
export function pauseForOthers(): Promise<void> | undefined {
  return turnIsLong() ? ownTurn() : undefined;
}

const waiting: (() => void)[] = [];
let isGoingOn = false;

/** A pause before a step that takes long by itself: those who have paused after it go on in a later turn if it did. */
export function ownTurn(): Promise<void> {
  pauses++;
  return new Promise((goOn) => {
    waiting.push(goOn);
    if (isGoingOn) return;
    isGoingOn = true;
    setImmediate(letSomeGoOn);
  });
}

/** So many are left of those who waited when this turn began, and who have not gone on. */
let left = 0;
let wentOnAt = 0;

function letSomeGoOn(): void {
  left = newcomersFirst() ? 0 : waiting.length;
  wentOnAt = elapsedMs();
  letNextGoOn();
}

/** The next goes on when the one before him has done what he can do for now. */
function letNextGoOn(): void {
  const now = elapsedMs();
  const turnMs = newcomersCome() ? SLICE_MS : TURN_MS;
  if (left === 0 || (counters === 0 && now - wentOnAt > turnMs)) {
    isGoingOn = waiting.length > 0;
    if (isGoingOn) setImmediate(letSomeGoOn);
    return;
  }
  left--;
  pauses--;
  sliceBegan = now;
  waiting.shift()?.();
  queueMicrotask(() => process.nextTick(letNextGoOn)); // when there are no microtasks any more
}

// A process takes one new connection in each of its turns (libuv, since 1.45). Were each turn as long as it may be, the last of
// 300 clients that come at once would not be heard before three seconds are over, nor would who comes after them. So what is
// long stands back until a whole turn has gone by in which nobody came.

/** So long at most, then not for one turn, and so on: new clients may come for ever. */
const STAND_BACK_MS = 30;
const QUIET_TURNS = 2;
let quietTurns = QUIET_TURNS;
let standingBackSince: number | undefined;

/** A client has connected, and behind him there may be more. */
export function noteNewcomer(): void {
  const wasQuiet = quietTurns === QUIET_TURNS;
  quietTurns = 0;
  if (!wasQuiet) return;
  standingBackSince = elapsedMs();
  setImmediate(endTurnOfNewcomers);
}

function endTurnOfNewcomers(): void {
  const now = elapsedMs();
  if (standingBackSince === undefined) standingBackSince = now;
  else if (now - standingBackSince > STAND_BACK_MS) standingBackSince = undefined;
  if (++quietTurns < QUIET_TURNS) setImmediate(endTurnOfNewcomers);
}

/** Whether clients have just connected. */
export const newcomersCome = (): boolean => quietTurns < QUIET_TURNS && counters === 0;

/** Whether what is long should stand back in this turn, because of them. */
export const newcomersFirst = (): boolean => newcomersCome() && standingBackSince !== undefined;
