// Webhooks in the form in which they are asked, and where they are. One behind a Service can be reached only when the
// Service stands for a name outside of the cluster: there is no network of a cluster here.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import { readTarget, type WebhookService, type WebhookTarget } from "../../registry/webhook.ts";
import type { AdmissionDeps } from "../deps.ts";
import { compileMatchConditions, type MatchConditions } from "../expressions/activation.ts";
import { type Matching, readWebhookMatching } from "../matching.ts";

const TIMEOUT_SECONDS = 10;
const FORMS = ["v1", "v1beta1"];

export interface Webhook extends WebhookTarget {
  readonly name: string;
  /** Tells it from all others. */
  readonly key: string;
  readonly matching: Matching;
  readonly conditions: MatchConditions;
  readonly timeoutSeconds: number;
  /** Failures to ask it are passed over. */
  readonly ignoreFailures: boolean;
  readonly sideEffects: string;
  /** The form of reviews that both sides speak; undefined: there is none. */
  readonly form: string | undefined;
  readonly reinvoked: boolean;
}

export function readWebhooks(configuration: Readonly<KubeObject>): Webhook[] {
  const { name = "" } = configuration.metadata;
  return objectsAt(configuration, "webhooks").map((webhook, index) =>
    readWebhook(webhook, `${name}/${index}`),
  );
}

function readWebhook(webhook: JsonObject, key: string): Webhook {
  return {
    ...readTarget(objectAt(webhook, "clientConfig") ?? {}),
    name: textAt(webhook, "name"),
    key,
    matching: readWebhookMatching(webhook),
    conditions: compileMatchConditions(webhook, { params: false }),
    timeoutSeconds: numberAt(webhook, "timeoutSeconds") ?? TIMEOUT_SECONDS,
    ignoreFailures: webhook["failurePolicy"] === "Ignore",
    sideEffects: textAt(webhook, "sideEffects"),
    form: textsAt(webhook, "admissionReviewVersions").find((version) => FORMS.includes(version)),
    reinvoked: webhook["reinvocationPolicy"] === "IfNeeded",
  };
}

/** The address of a Service that stands for a name outside. Throws an Error that says why there is no way to it. */
export function hostBehind({ namespace, name }: WebhookService, { store }: AdmissionDeps): string {
  const kv = store.get(`/registry/services/specs/${namespace}/${name}`);
  if (kv === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const spec = objectAt(decodeStored(kv), "spec");
  const host = textAt(spec, "externalName");
  if (spec?.["type"] === "ExternalName" && host !== "") return host;
  throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
}
