// Webhooks in compiled form, with their addresses.
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { readTarget, type WebhookTarget } from "../../registry/webhook.ts";
import { compileMatchConditions, type MatchConditions } from "../expressions/activation.ts";
import { type Matching, readWebhookMatching } from "../matching.ts";

const TIMEOUT_SECONDS = 10;
const FORMS = ["v1", "v1beta1"];

export interface Webhook extends WebhookTarget {
  readonly name: string;
  /** Unique among all webhooks. */
  readonly key: string;
  /** The name of its configuration. */
  readonly configuration: string;
  readonly matching: Matching;
  readonly conditions: MatchConditions;
  readonly timeoutSeconds: number;
  /** failurePolicy Ignore: a failed call admits the request. */
  readonly ignoreFailures: boolean;
  readonly sideEffects: string;
  /** The AdmissionReview version that both sides support; undefined: none. */
  readonly form: string | undefined;
  readonly reinvoked: boolean;
}

export function readWebhooks(configuration: Readonly<KubeObject>): Webhook[] {
  const { name = "" } = configuration.metadata;
  return objectsAt(configuration, "webhooks").map((webhook, index) =>
    readWebhook(webhook, name, `${name}/${index}`),
  );
}

function readWebhook(webhook: JsonObject, configuration: string, key: string): Webhook {
  return {
    ...readTarget(objectAt(webhook, "clientConfig") ?? {}),
    name: textAt(webhook, "name"),
    ...{ key, configuration },
    matching: readWebhookMatching(webhook),
    conditions: compileMatchConditions(webhook, { params: false }),
    timeoutSeconds: numberAt(webhook, "timeoutSeconds") ?? TIMEOUT_SECONDS,
    ignoreFailures: webhook["failurePolicy"] === "Ignore",
    sideEffects: textAt(webhook, "sideEffects"),
    form: textsAt(webhook, "admissionReviewVersions").find((version) => FORMS.includes(version)),
    reinvoked: webhook["reinvocationPolicy"] === "IfNeeded",
  };
}
