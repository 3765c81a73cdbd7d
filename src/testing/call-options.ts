// The arguments of the methods of EgretServer.

import type { GivenFacts } from "../features/analysis/store-snapshot.ts";
import type { ResetTarget, RestoreOptions } from "../features/state/state-keeper.ts";
import type { TraceRequest } from "../ovn/trace/trace.ts";
import type { AnyObject, ApiObject } from "./kinds.ts";

/** A path, or paths and objects. */
export type ImportSource = string | readonly (string | AnyObject | ApiObject)[];

export interface ImportOptions {
  /** Imports Secrets, too. */
  readonly secrets?: boolean;
  /** Imports webhook configurations, too. */
  readonly webhooks?: boolean;
}

export interface ResetOptions extends RestoreOptions {
  /** "start" (default): the state with the objects of startEgret(); "empty": without them. */
  readonly to?: ResetTarget;
}

/** A packet sent by a pod; the default protocol is "tcp". */
export type TracedPacket = Omit<TraceRequest, "protocol"> &
  Partial<Pick<TraceRequest, "protocol">> & { readonly facts?: GivenFacts };
