// What the control surface does, without HTTP: the object that tests in the same process use, and that the routes are
// made of.
import type { ClockControl } from "./clock/clock-control.ts";
import type { Faults } from "./faults/faults.ts";
import type { HistoryKeeper } from "./history/history-keeper.ts";
import type { RequestLog } from "./requests/request-log.ts";
import type { Branches, Snapshots } from "./state/named-states.ts";
import type { StateKeeper } from "./state/state-keeper.ts";
import type { Transfer } from "./transfer/transfer.ts";
import type { Waits } from "./wait/wait-for.ts";

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
