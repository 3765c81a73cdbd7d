// Event loop yielding: an event-loop iteration (here: turn) handles the input that has arrived. Long work pauses, so
// that other requests are served.
import { elapsedMs } from "../meta/clock.ts";

/** Number of pauses that will resume by themselves. */
let pauses = 0;

/**
 * Resolves once the process has done all it can without timers, the disk or a peer. A caller that waits here counts as
 * busy (isAnyPaused).
 */
export async function nextTurn(): Promise<void> {
  pauses++;
  await yieldToEventLoop();
  pauses--;
}

/** As nextTurn, for an observer, which does not count as busy. */
export const yieldToEventLoop = (): Promise<void> => new Promise((goOn) => setImmediate(goOn));

/** Whether any paused work will resume by itself. */
export const isAnyPaused = (): boolean => pauses > 0;

/** Work may run so long before it yields to new input. */
const TURN_MS = 10;
/**
 * The limit while several pieces of work share the loop: each gets a short time slice, so none waits for the longest.
 */
const SLICE_MS = 1;
let turnBegan: number | undefined;
let sliceBegan = 0;

/** Typical number of turnIsLong() calls within TURN_MS. */
const TURN_ASKS = 5000;
let asks = 0;
let counters = 0;

/**
 * Until the returned function is called, a turn counts as long after a number of turnIsLong() calls, independent of
 * time. Runs that must be reproducible byte by byte must not depend on the speed of the machine.
 */
export function turnsByCount(): () => void {
  let counts = 1;
  counters += counts;
  return () => {
    counters -= counts;
    counts = 0;
  };
}

/** Whether this turn has lasted so long that the caller should yield. */
export function turnIsLong(): boolean {
  asks++;
  const now = elapsedMs();
  if (turnBegan === undefined) {
    turnBegan = now;
    asks = 0;
    setImmediate(() => {
      turnBegan = undefined;
    });
    return yieldsToNewRequests();
  }
  if (counters > 0) return asks > TURN_ASKS;
  if (yieldsToNewRequests()) return true;
  return waiting.length > 0 ? now - Math.max(turnBegan, sliceBegan) > SLICE_MS : now - turnBegan > TURN_MS;
}

/** Pauses until the next turn if this turn is long, else undefined. For work that other work waits for. */
export function pauseOneTurn(): Promise<void> | undefined {
  return turnIsLong() ? nextTurn() : undefined;
}

/**
 * Pauses if this turn is long, else undefined. For work that continues by itself, in a loop or from promise to promise,
 * which would otherwise block the event loop until its end. Paused work resumes in FIFO order, each for a time slice,
 * and as much per turn as time permits.
 */
export function yieldIfDue(): Promise<void> | undefined {
  return turnIsLong() ? ownTurn() : undefined;
}

const waiting: (() => void)[] = [];
let isGoingOn = false;

/**
 * Pauses before a step that takes long by itself. Work that paused later resumes in a later turn if the step was long.
 */
export function ownTurn(): Promise<void> {
  pauses++;
  return new Promise((goOn) => {
    waiting.push(goOn);
    if (isGoingOn) return;
    isGoingOn = true;
    setImmediate(letSomeGoOn);
  });
}

/** Number of pauses that waited when this turn began and have not resumed yet. */
let left = 0;
let wentOnAt = 0;

function letSomeGoOn(): void {
  left = yieldsToNewRequests() ? 0 : waiting.length;
  wentOnAt = elapsedMs();
  letNextGoOn();
}

/** Resumes the next pause once the previous work has run out of microtasks. */
function letNextGoOn(): void {
  const now = elapsedMs();
  const turnMs = newRequestsArrive() ? SLICE_MS : TURN_MS;
  if (left === 0 || (counters === 0 && now - wentOnAt > turnMs)) {
    isGoingOn = waiting.length > 0;
    if (isGoingOn) setImmediate(letSomeGoOn);
    return;
  }
  left--;
  pauses--;
  sliceBegan = now;
  waiting.shift()?.();
  queueMicrotask(() => process.nextTick(letNextGoOn)); // when no microtasks remain
}

// A process accepts one new connection per turn (libuv, since 1.45). With turns of maximum length, the last of 300
// simultaneous clients would wait for three seconds, and so would every later client. So long work is held back until a
// whole turn passes without a new connection.

/** Limit of holding work back, in ms; then it runs for one turn, and so on, since new clients may keep connecting. */
const STAND_BACK_MS = 30;
const QUIET_TURNS = 2;
let quietTurns = QUIET_TURNS;
let standingBackSince: number | undefined;

/** A client has connected; more connections may be pending. */
export function noteNewRequest(): void {
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
export const newRequestsArrive = (): boolean => quietTurns < QUIET_TURNS && counters === 0;

/** Whether long work should be held back in this turn because of new connections. */
export const yieldsToNewRequests = (): boolean => newRequestsArrive() && standingBackSince !== undefined;
