// Webhooks in the form in which they are asked.
import { type JsonObject, objectAt, objectsOf, textOf, textsOf } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { compileMatchConditions, type MatchConditions } from "../expressions/match-conditions.ts";
import { type Matching, readWebhookMatching } from "../matching/matching.ts";

const TIMEOUT_SECONDS = 10;
const HTTPS_PORT = 443;
const FORMS = ["v1", "v1beta1"];

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly port: number;
}

export interface Webhook {
  readonly name: string;
  /** Tells it from all others. */
  readonly key: string;
  readonly matching: Matching;
  readonly conditions: MatchConditions;
  /** "" when it is behind a Service. */
  readonly url: string;
  readonly service: WebhookService | undefined;
  /** Base64 of PEM; "": the roots of the system. */
  readonly caBundle: string;
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
  return objectsOf(configuration["webhooks"]).map((webhook, index) =>
    readWebhook(webhook, `${name}/${index}`),
  );
}

function readWebhook(webhook: JsonObject, key: string): Webhook {
  const client = objectAt(webhook, "clientConfig") ?? {};
  const service = objectAt(client, "service");
  return {
    name: textOf(webhook["name"]),
    key,
    matching: readWebhookMatching(webhook),
    conditions: compileMatchConditions(webhook, { params: false }),
    url: textOf(client["url"]),
    caBundle: textOf(client["caBundle"]),
    service: service && {
      namespace: textOf(service["namespace"]),
      name: textOf(service["name"]),
      path: textOf(service["path"]),
      port: Number(service["port"] ?? HTTPS_PORT),
    },
    timeoutSeconds: Number(webhook["timeoutSeconds"] ?? TIMEOUT_SECONDS),
    ignoreFailures: webhook["failurePolicy"] === "Ignore",
    sideEffects: textOf(webhook["sideEffects"]),
    form: textsOf(webhook["admissionReviewVersions"]).find((version) => FORMS.includes(version)),
    reinvoked: webhook["reinvocationPolicy"] === "IfNeeded",
  };
}
