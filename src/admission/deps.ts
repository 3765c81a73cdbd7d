// What policies and webhooks are given at the start, and how admission says no.
import type { Clock } from "../meta/clock.ts";
import type { Ids } from "../meta/ids.ts";
import { forbidden, type StatusCause, type StatusError } from "../meta/status.ts";
import type { AdmissionAttributes } from "../registry/admission.ts";
import type { Authorizer } from "../registry/definition/access.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import type { PostWebhook } from "../registry/webhook.ts";
import type { Store } from "../storage/store.ts";

export const ADMISSION_GROUP = "admissionregistration.k8s.io";

export interface AdmissionDeps {
  readonly store: Store;
  readonly resources: ResourceRegistry;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Sends a request out of the process. */
  readonly post: PostWebhook;
  /** Told of watches that had to be opened anew. */
  readonly onError: (error: unknown) => void;
}

/** A 403 that names the object; where its name has still to be generated, what it begins with stands for it. */
export function refuse(attributes: AdmissionAttributes, why: string, causes?: StatusCause[]): StatusError {
  const { view, name, object } = attributes;
  const shown = name || object?.metadata.name || object?.metadata.generateName || "Unknown";
  return forbidden(view.definition, shown, why, causes);
}
