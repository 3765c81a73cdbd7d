// What came of one look at a network, and the condition that tells its owner.
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import { isGoing } from "../kit/api.ts";
import { type Condition, fitting } from "../networks/conditions.ts";
import { nadKey } from "../networks/network-keys.ts";
import { isCluster } from "../networks/owners.ts";
import { NetworkInUseError } from "./pods-in-use.ts";
import type { TransportProblem } from "./transport.ts";

export interface Outcome {
  /** The owner as it is now. */
  readonly owner: KubeObject;
  /** The NetworkAttachmentDefinitions that are there, by namespace. */
  readonly nads: readonly KubeObject[];
  readonly errors: readonly Error[];
  /** The transport cannot be used, so that nothing was made. */
  readonly problem?: TransportProblem | undefined;
}

/** The condition NetworkCreated. */
export function networkCreated({ owner, nads, errors, problem }: Outcome): Condition {
  const type = "NetworkCreated";
  if (problem) return { type, status: "False", ...problem };
  if (errors.length > 0) {
    const reason = isCluster(owner) ? "NetworkAttachmentDefinitionSyncError" : "SyncError";
    return { type, status: "False", reason, message: fitting(errorMessage(errors)) };
  }
  const going = nads.filter(isGoing);
  if (going.length > 0) {
    const reason = "NetworkAttachmentDefinitionDeleted";
    return { type, status: "False", reason, message: fitting(deletedMessage(owner, going)) };
  }
  const reason = "NetworkAttachmentDefinitionCreated";
  return { type, status: "True", reason, message: fitting(createdMessage(owner, nads)) };
}

export const errorMessage = (errors: readonly Error[]): string =>
  errors.map(({ message }) => message).join("\n");

function deletedMessage(owner: KubeObject, nads: readonly KubeObject[]): string {
  if (!isCluster(owner)) return "NetworkAttachmentDefinition is being deleted";
  const keys = nads.map(({ metadata }) => nadKey(metadata.namespace ?? "", metadata.name ?? ""));
  return `NetworkAttachmentDefinition are being deleted: [${keys.join(" ")}]`;
}

function createdMessage(owner: KubeObject, nads: readonly KubeObject[]): string {
  if (!isCluster(owner)) return "NetworkAttachmentDefinition has been created";
  const namespaces = nads.map(({ metadata }) => metadata.namespace);
  return `NetworkAttachmentDefinition has been created in following namespaces: [${namespaces.join(", ")}]`;
}

function* causesOf(error: unknown): Generator<unknown> {
  for (let at = error; at !== undefined; at = at instanceof Error ? at.cause : undefined) yield at;
}

/** Pods hold the network: trying again helps only once they are gone. */
export const isInUse = (error: Error): boolean =>
  [...causesOf(error)].some((cause) => cause instanceof NetworkInUseError);

/** Somebody else wrote in between: nothing to tell anybody of, trying again is enough. */
export const isOvertaken = (error: Error): boolean =>
  [...causesOf(error)].some((cause) => cause instanceof StatusError && cause.reason === "Conflict");
