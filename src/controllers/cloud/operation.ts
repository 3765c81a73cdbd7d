// What a CloudPrivateIPConfig has to ask of the cloud next, seen from its spec and status, and what is said of it.
import { type CloudPrivateIpConfig, FINALIZER, isDone } from "./cloud-private-ip-config.ts";

export type Operation =
  | { readonly type: "assign"; readonly node: string }
  | { readonly type: "release"; readonly node: string }
  | { readonly type: "move"; readonly from: string; readonly node: string }
  /** Nothing is left of it in the cloud: the object may go. */
  | { readonly type: "let-go" };

export interface OperationOptions {
  /** The cloud brings an address from one node to another in one go. */
  readonly canMove: boolean;
}

export function nextOperation(
  config: CloudPrivateIpConfig,
  { canMove }: OperationOptions,
): Operation | undefined {
  const { node: wanted, deleting, finalizers, status } = config;
  if (deleting) {
    if (!finalizers.includes(FINALIZER)) return undefined;
    // The controller that this one stands for would keep an object that is nowhere for ever.
    return status.node === "" ? { type: "let-go" } : { type: "release", node: status.node };
  }
  if (status.node !== "" && status.node !== wanted) {
    if (canMove && wanted !== "") return { type: "move", from: status.node, node: wanted };
    return { type: "release", node: status.node };
  }
  if (wanted !== "" && (status.node === "" || !isDone(config))) return { type: "assign", node: wanted };
  return undefined;
}

/** What stands in the condition, by operation. */
export const WORDS = {
  assign: {
    pending: "Adding IP address",
    done: "IP address successfully added",
    failed: "Error processing cloud assignment request, err: ",
    log: "assigning",
  },
  release: {
    pending: "Deleting IP address",
    done: "IP address successfully deleted",
    failed: "Error processing cloud release request, err: ",
    log: "releasing",
  },
  move: {
    pending: "Moving IP address",
    done: "IP address successfully moved",
    failed: "Error processing cloud move request, err: ",
    log: "moving",
  },
} as const;

export interface CloudStatus {
  readonly node: string;
  readonly conditions: readonly {
    readonly type: "Assigned";
    readonly status: "True" | "False" | "Unknown";
    readonly observedGeneration: number;
    readonly lastTransitionTime: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

const REASONS = {
  Unknown: "CloudResponsePending",
  True: "CloudResponseSuccess",
  False: "CloudResponseError",
} as const;

/** A status with its one condition. */
export function cloudStatus(
  node: string,
  status: keyof typeof REASONS,
  message: string,
  { observedGeneration, lastTransitionTime }: { observedGeneration: number; lastTransitionTime: string },
): CloudStatus {
  const reason = REASONS[status];
  return {
    node,
    conditions: [{ type: "Assigned", status, observedGeneration, lastTransitionTime, reason, message }],
  };
}
