// Waits until the objects of a setup are effective. A kube-apiserver observes configurations with a delay: a probe that is
// created last takes effect after all earlier objects of its kind.
import { setTimeout as delay } from "node:timers/promises";
import { isObject, objectAt } from "../../../../src/apimachinery/json/json.ts";
import { valuesAt } from "../pick.ts";
import type { Reply, Target } from "../target.ts";
import type { MadeObject } from "./case-book.ts";
import type { Hook } from "./hook.ts";
import type { StandingObjects } from "./standing-objects.ts";

const REGISTRATION = "/apis/admissionregistration.k8s.io/v1";
const API_VERSION = "admissionregistration.k8s.io/v1";
const PROBE_PATH = "/probe";
const LOOK_AGAIN_MS = 50;
const EFFECTIVE_MS_MAX = 30_000;
const WEBHOOK_KINDS = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] as const;
const POLICY_KINDS = ["MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"] as const;
const RULE = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const ADD_LABEL = '[JSONPatch{op: "add", path: "/metadata/labels/probed", value: "yes"}]';

export interface SetupWorld {
  readonly target: Target;
  readonly hook: Hook;
  readonly standing: StandingObjects;
  readonly id: string;
  /** Base64 of the webhook's CA. */
  readonly ca: string;
}

/** Rejects when something has no effect after half a minute. */
export async function untilEffective(made: readonly MadeObject[], world: SetupWorld): Promise<void> {
  const kinds = new Set(made.map(({ body }) => body.kind));
  for (const kind of WEBHOOK_KINDS) if (kinds.has(kind)) await probeWebhook(kind, world);
  for (const kind of POLICY_KINDS) if (kinds.has(kind)) await probePolicy(kind, world);
  for (const { body } of made)
    if (body.kind === "CustomResourceDefinition") await untilServed(body, world.target);
}

async function probeWebhook(kind: (typeof WEBHOOK_KINDS)[number], world: SetupWorld): Promise<void> {
  const { hook, standing, id, ca } = world;
  const webhook = {
    name: "probe.conformance.example",
    clientConfig: { url: `https://${hook.address}${PROBE_PATH}`, caBundle: ca },
    rules: [RULE],
    objectSelector: { matchLabels: labelsOf(kind, id) },
    ...{ sideEffects: "None", admissionReviewVersions: ["v1"] },
  };
  const metadata = probeMetadata(id);
  const body = { apiVersion: API_VERSION, kind, metadata, webhooks: [webhook] };
  await standing.create({ path: `${REGISTRATION}/${kind.toLowerCase()}s`, body });
  hook.answers = { [PROBE_PATH]: { response: { allowed: false } } };
  await until(kind, async () => (await tryOut(kind, world)).status !== 201);
  await standing.removeLast();
}

async function probePolicy(kind: (typeof POLICY_KINDS)[number], world: SetupWorld): Promise<void> {
  const { standing, id } = world;
  const validates = kind === "ValidatingAdmissionPolicy";
  const matchConstraints = {
    objectSelector: { matchLabels: labelsOf(kind, id) },
    resourceRules: [RULE],
  };
  const mutations = [{ patchType: "JSONPatch", jsonPatch: { expression: ADD_LABEL } }];
  const effect = validates
    ? { validations: [{ expression: "false" }] }
    : { reinvocationPolicy: "Never", mutations };
  const metadata = probeMetadata(id);
  const spec = { ...effect, matchConstraints };
  const path = `${REGISTRATION}/${kind.toLowerCase().replace(/y$/, "ies")}`;
  await standing.create({ path, body: { ...{ apiVersion: API_VERSION }, kind, metadata, spec } });
  const binding = { policyName: metadata.name, ...(validates ? { validationActions: ["Deny"] } : {}) };
  const bound = { ...{ apiVersion: API_VERSION }, kind: `${kind}Binding`, metadata, spec: binding };
  await standing.create({ path: `${REGISTRATION}/${kind.toLowerCase()}bindings`, body: bound });
  await until(kind, async () => {
    const { status, body } = await tryOut(kind, world);
    return status !== 201 || valuesAt(body, "metadata.labels.probed")[0] === "yes";
  });
  await standing.removeLast();
  await standing.removeLast();
}

/** Distinguishes probes, because one of another kind may still be in effect. */
const labelsOf = (kind: string, id: string) => ({ probe: `${kind}-${id}` });
const probeMetadata = (id: string) => ({ name: `zz-probe-${id}` });

function tryOut(kind: string, { target, id }: SetupWorld): Promise<Reply> {
  const metadata = { name: "probe", labels: labelsOf(kind, id) };
  const path = "/api/v1/namespaces/default/configmaps?dryRun=All";
  return target.send({ method: "POST", path, body: { apiVersion: "v1", kind: "ConfigMap", metadata } });
}

async function untilServed({ metadata, spec }: MadeObject["body"], target: Target): Promise<void> {
  if (!isObject(spec)) throw new Error(`${metadata.name} has no spec`);
  const plural = objectAt(spec, "names")?.["plural"];
  for (const version of valuesAt(spec, "versions[*].name")) {
    const path = `/apis/${spec["group"]}/${version}/${plural}`;
    await until(metadata.name, async () => (await target.send({ path })).status === 200);
  }
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + EFFECTIVE_MS_MAX; Date.now() < end; await delay(LOOK_AGAIN_MS))
    if (await condition()) return;
  throw new Error(`${what} has not become effective in ${EFFECTIVE_MS_MAX / 1000} s`);
}
