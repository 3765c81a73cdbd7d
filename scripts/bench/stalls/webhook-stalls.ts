// Webhooks with large responses: admission webhooks for one object, and conversion webhooks for a list of objects.
import type { ServerAccess } from "../client/server-access.ts";
import { type CustomKind, customKind, install, objectOf } from "./custom-kind.ts";
import { type Respond, startWebhook } from "./large-webhook.ts";
import { listOf, must, type Stall, statusOf, together } from "./stall.ts";

const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const MAPS = "/api/v1/namespaces/default/configmaps";
/** Above the limit of a response, and below it. */
const [TOO_LARGE, LARGE] = [60_000_000, 7_500_000];
const CONVERTED = 5000;
/** The number of objects, each converted by a separate call with such a response. */
const CONVERTED_LARGE = 20;

/** Small values, the most expensive ones to decode, of so many bytes. */
const smallValues = (bytes: number): string => `[${"[],".repeat(Math.floor(bytes / 3) - 1)}[]]`;

export const WEBHOOK_STALLS: readonly Stall[] = [
  admitted("webhook-answers", "a webhook's answer of 60 MB", [500], () => {
    return `{"allowed":true,"status":{"pad":${smallValues(TOO_LARGE)}}}`;
  }),
  admitted("webhook-values", "a webhook's answer with 2,500,000 lists", [201], () => {
    return `{"allowed":true,"status":{"pad":${smallValues(LARGE)}}}`;
  }),
  admitted("webhook-patches", "a webhook's patch with 5 MB of annotations", [413, 422, 500], () => {
    const patch = Buffer.from(JSON.stringify(listOf(9000, annotation))).toString("base64");
    return JSON.stringify({ allowed: true, patchType: "JSONPatch", patch });
  }),
  converted("conversions", "a conversion of 5,000 objects", CONVERTED, [200], ({ request }) => {
    const { desiredAPIVersion: apiVersion, objects = [] } = request;
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion }));
    return JSON.stringify({ result: { status: "Success" }, convertedObjects });
  }),
  converted("conversion-answers", "a conversion's answer of 60 MB", CONVERTED_LARGE, [500], () => {
    return `{"result":{"status":"Success"},"convertedObjects":${smallValues(TOO_LARGE)}}`;
  }),
];

const annotation = (index: number) => ({
  op: "add",
  path: `/metadata/annotations/l${index}`,
  value: "v".repeat(500),
});

function admitted(name: string, what: string, answers: readonly number[], respond: Respond): Stall {
  return {
    id: `server/${name}`,
    what,
    answers,
    arm: async (access) => {
      const clientConfig = await startWebhook(respond);
      const rule = {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE"],
        resources: ["configmaps"],
      };
      const webhook = {
        ...{ name: `${name}.example.com`, clientConfig, rules: [rule], sideEffects: "None" },
        ...{ admissionReviewVersions: ["v1"], timeoutSeconds: 30 },
        matchConditions: [{ name: "own", expression: `object.metadata.name.startsWith('${name}')` }],
      };
      const about = { apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration" };
      const configuration = { ...about, metadata: { name }, webhooks: [webhook] };
      await must(access, { method: "POST", path: WEBHOOKS, body: JSON.stringify(configuration) }, [201, 409]);
      const post = (index: number) => ({
        method: "POST",
        path: MAPS,
        body: JSON.stringify({ metadata: { name: `${name}-${index}`, annotations: { a: "b" } } }),
      });
      const strike = together(access, listOf(3, post));
      return async () => {
        const statuses = await strike();
        await statusOf(access, { method: "DELETE", path: `${WEBHOOKS}/${name}` });
        return statuses;
      };
    },
  };
}

function converted(
  name: string,
  what: string,
  objects: number,
  answers: readonly number[],
  respond: Respond,
): Stall {
  return {
    id: `server/${name}`,
    what,
    answers,
    arm: async (access) => {
      const clientConfig = await startWebhook(respond);
      const kind = convertedKind(name, clientConfig);
      await install(access, kind);
      await fill(access, kind, objects);
      const path = kind.path.replace("/v1/", "/v2/");
      return together(access, [{ method: "GET", path }]);
    },
  };
}

function convertedKind(name: string, clientConfig: object): CustomKind {
  const kind = customKind(name.replaceAll("-", ""), { type: "object" });
  const { spec } = kind.definition as { readonly spec: { readonly versions: readonly object[] } };
  const second = { ...spec.versions[0], name: "v2", storage: false };
  const webhook = { clientConfig, conversionReviewVersions: ["v1"] };
  const conversion = { strategy: "Webhook", webhook };
  const changed = { ...spec, versions: [...spec.versions, second], conversion };
  return { ...kind, definition: { ...kind.definition, spec: changed } };
}

/** Sequential creates in twenty rows, so that none of them is a stall by itself. */
async function fill(access: ServerAccess, kind: CustomKind, objects: number): Promise<void> {
  const row = async (first: number): Promise<void> => {
    for (let index = first; index < objects; index += 20) {
      const body = objectOf(kind, `o-${index}`, {});
      await must(access, { method: "POST", path: kind.path, body }, [201, 409]);
    }
  };
  await Promise.all(listOf(20, row));
}
