// Puts together what the control surface does. Its parts are objects that tests in the same process use as well.

import type { RequestGate } from "../apiserver/api-request.ts";
import type { ClientFactory } from "../client/client.ts";
import type { ClockControl } from "../control/clock.ts";
import { Faults } from "../control/faults/faults.ts";
import { faultyClients } from "../control/faults/in-process-faults.ts";
import { HistoryKeeper } from "../control/history/history-keeper.ts";
import { RequestLog } from "../control/request-log.ts";
import { Branches, Snapshots } from "../control/state/named-states.ts";
import { type SavedState, StateKeeper, stateOf } from "../control/state/state-keeper.ts";
import { Transfer } from "../control/transfer/transfer.ts";
import { Waits } from "../control/wait/wait-for.ts";
import { controllerDescriptors } from "../controllers/index.ts";
import type { ControllerManager } from "../controllers/kit/controller-manager.ts";
import { nextTurn, systemClock } from "../meta/clock.ts";
import type { Store } from "../storage/store.ts";
import type { ApiCore, CoreOptions } from "./api-core.ts";

/** What the control surface does, without HTTP: tests in the same process use it, and the routes are made of it. */
export interface ControlPlane {
  /** Saves and restores the whole state, and goes back to the start. */
  readonly state: StateKeeper;
  /** Saved states with names. */
  readonly snapshots: Snapshots;
  /** Lines of state with names, to go from one to another. */
  readonly branches: Branches;
  /** Objects out of the server and into it, as files hold them. */
  readonly transfer: Transfer;
  /** Waits for conditions over objects. */
  readonly waits: Waits;
  /** Stops, sets and advances the clock, and sets the seed. */
  readonly clock: ClockControl;
  /** What became of objects, and objects as they were. */
  readonly history: HistoryKeeper;
  /** What goes wrong, for clients to meet it. */
  readonly faults: Faults;
  /** Who asked what. */
  readonly requests: RequestLog;
}

export interface OpenedControl extends ControlPlane {
  /** The server holds what every server has, and nothing else: called once, if its store was new. */
  markFurnished(): void;
  /** The server is ready but for what the controllers have to do first: that, too, is part of the start. Never rejects. */
  markStarted(signal: AbortSignal): Promise<void>;
  /** What looks at requests before the API does. */
  readonly gate: RequestGate;
  /** Clients for controllers, which faults can strike. */
  readonly controllerClients: ClientFactory;
}

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

type Renewed = Pick<ControllerManager, "idle" | "renew">;

/** So long a start and a reset wait for controllers, which somebody else may keep busy. */
const REST_MS_MAX = 1000;

export interface ControlOptions {
  readonly store: Store;
  readonly core: ApiCore;
  readonly given: CoreOptions;
  /** Those that begin anew when the state is exchanged; they are there when the API answers. */
  readonly controllers: () => Renewed;
  readonly clock: ClockControl;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

/**
 * Builds the control surface (/egret/v1) with its parts: faults, clock, waits, history, requests, state, transfer.
 */
export function openControl(options: ControlOptions): OpenedControl {
  const { store, core, given, controllers, clock, random } = options;
  let furnished: SavedState | undefined;
  const emptyState = async (): Promise<SavedState> => {
    if (furnished !== undefined) return furnished;
    const { makeEmptyState } = await import("./empty-state.ts");
    return makeEmptyState(store, given);
  };
  const settled = () => core.settled();
  let tellStarted = () => {};
  const started = new Promise<void>((resolve) => {
    tellStarted = resolve;
  });
  const state = new StateKeeper({
    ...{ store, clock: given.clock, emptyState, started, followed: settled },
    hold: () => core.hold(),
    renew: (change) => controllers().renew(change),
    settled: () => restOf(controllers(), store),
  });
  const waits = new Waits({ store, registry: core.registry, clock: systemClock });
  const transfer = new Transfer({
    store,
    registry: core.registry,
    emptyState: () => state.stateFor("empty"),
    ownManagers: new Set([
      "kube-apiserver",
      ...controllerDescriptors.map(({ fieldManager }) => fieldManager),
    ]),
    client: core.clientFor("egret"),
    settled,
    renew: (change) => controllers().renew(change),
  });
  const faultDeps = { store, clock: given.clock, random };
  const faults = new Faults(faultDeps);
  let startIsMarked = false;
  const markStart = () => {
    if (!startIsMarked) state.markStart();
    startIsMarked = true;
  };
  const gate: RequestGate = {
    wantsBody: (info) => faults.wantsBody(info),
    intercept: (request) => {
      // What a client writes is no part of the start, also when controllers are not done with theirs.
      if (!startIsMarked && !READS.has(request.method)) markStart();
      return faults.intercept(request);
    },
    watching: (watch) => faults.watching(watch),
  };
  const requests = new RequestLog();
  return {
    gate,
    faults,
    requests,
    history: new HistoryKeeper({ store, registry: core.registry, requests }),
    controllerClients: faultyClients(core.clientFor, faults, faultDeps),
    state,
    snapshots: new Snapshots(state),
    branches: new Branches(state),
    transfer,
    waits,
    clock,
    markFurnished: () => {
      furnished = stateOf(store, given.clock);
    },
    markStarted: async (signal) => {
      await restOf(controllers(), store, signal);
      markStart();
      tellStarted();
    },
  };
}

/** Resolves once the controllers have nothing to do, or when that takes long. A fault may keep them from saying so. */
async function restOf(controllers: Renewed, store: Store, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const waiting = new AbortController();
  signal?.addEventListener("abort", () => waiting.abort(), { once: true });
  const late = systemClock.sleep(REST_MS_MAX, waiting.signal);
  await Promise.race([idleTogether(controllers, store, waiting.signal), late]).catch(() => undefined);
  waiting.abort();
  await late.catch(() => undefined);
}

/** What they have written may give others something to do. */
async function idleTogether(controllers: Renewed, store: Store, signal: AbortSignal): Promise<void> {
  let before: number;
  do {
    before = store.revision;
    await controllers.idle();
    await nextTurn();
  } while (store.revision !== before && !signal.aborted);
}
