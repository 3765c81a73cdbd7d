// What policies and webhooks are given at the start.
import type { Clock } from "../meta/clock.ts";
import type { Ids } from "../meta/ids.ts";
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
