// NetworkPolicy: allowed ingress and egress traffic of a set of pods.

import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type FieldError, invalid, notSupported, required } from "../../apimachinery/meta/field-error.ts";
import { cidrContains, ipFromValue } from "../../apimachinery/meta/ip.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import {
  cidrWarnings,
  formErrors,
  isPortName,
  isPortNumber,
  parseSloppyCidr,
  validateCidr,
} from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { ensureObject, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { formatLabelSelector } from "../../apiserver/registry/strategy/label-selectors.ts";
import { schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";

const POLICY_TYPES = ["Ingress", "Egress"];
/** Rules of each direction, and the member with the peers. */
const DIRECTIONS = [
  ["ingress", "from"],
  ["egress", "to"],
] as const;

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  if (textsAt(spec, "policyTypes").length > 0) return;
  spec["policyTypes"] = objectsAt(spec, "egress").length > 0 ? POLICY_TYPES : ["Ingress"];
}

/** CIDRs of the old object are accepted in any form. */
const validate = (object: Readonly<JsonObject>, known: ReadonlySet<string>): FieldError[] =>
  schemaErrors("io.k8s.api.networking.v1.NetworkPolicySpec", specOf(object), {
    field: "spec",
    code: {
      policyTypes: ({ field, value }) => validateTypes(field, [value].flat()),
      ports: ({ field, owner }) => validatePort(field, owner),
      block: ({ field, value }) => validateIpBlock(field, isObject(value) ? value : {}, known),
    },
  });

function validateTypes(field: string, types: readonly unknown[]): FieldError[] {
  if (types.length > POLICY_TYPES.length) {
    return [invalid(field, types, "may not specify more than two policyTypes")];
  }
  return types.flatMap((type, index) =>
    POLICY_TYPES.includes(String(type)) ? [] : [notSupported(`${field}[${index}]`, type, POLICY_TYPES)],
  );
}

function validatePort(field: string, item: JsonObject): FieldError[] {
  const { port } = item;
  const endPort = numberAt(item, "endPort");
  const errors: FieldError[] = [];
  const endErrors = (rule: string, value = endPort): void => {
    errors.push(invalid(`${field}.endPort`, value, rule));
  };
  if (port === undefined) {
    if (endPort !== undefined) endErrors("may not be specified when `port` is not specified");
  } else if (typeof port === "string") {
    if (endPort !== undefined) endErrors("may not be specified when `port` is non-numeric");
    append(errors, formErrors(isPortName, `${field}.port`, port));
  } else {
    const first = numberAt(item, "port") ?? 0;
    append(errors, formErrors(isPortNumber, `${field}.port`, first));
    if (endPort === undefined) return errors;
    if (endPort < first) endErrors("must be greater than or equal to `port`", first);
    for (const text of isPortNumber(endPort)) endErrors(text);
  }
  return errors;
}

function validateIpBlock(field: string, block: JsonObject, known: ReadonlySet<string>): FieldError[] {
  const text = textAt(block, "cidr");
  if (text === "") return [required(`${field}.cidr`)];
  const errors = known.has(text) ? [] : validateCidr(`${field}.cidr`, text);
  const cidr = parseSloppyCidr(text);
  if (cidr === undefined) return errors;
  textsAt(block, "except").forEach((except, index) => {
    const place = `${field}.except[${index}]`;
    if (!known.has(except)) append(errors, validateCidr(place, except));
    const hole = parseSloppyCidr(except);
    if (hole === undefined) return;
    const inside = cidrContains(cidr, ipFromValue(hole.family, hole.first));
    if (inside && hole.prefix > cidr.prefix) return;
    errors.push(invalid(place, except, "must be a strict subset of `cidr`"));
  });
  return errors;
}

function blocksOf(object: Readonly<JsonObject>): { readonly field: string; readonly text: string }[] {
  const blocks = DIRECTIONS.flatMap(([direction, side]) =>
    objectsAt(specOf(object), direction).flatMap((rule, index) =>
      objectsAt(rule, side).map((peer, at) => ({
        field: `spec.${direction}[${index}].${side}[${at}].ipBlock`,
        block: objectAt(peer, "ipBlock"),
      })),
    ),
  );
  return blocks.flatMap(({ field, block }) => {
    if (block === undefined) return [];
    const holes = textsAt(block, "except").map((text, at) => ({ field: `${field}.except[${at}]`, text }));
    return [{ field: `${field}.cidr`, text: textAt(block, "cidr") }, ...holes];
  });
}

export const networkPolicies = builtIn("networking.k8s.io/v1", "NetworkPolicy", {
  shortNames: ["netpol"],
  columns: [
    NAME,
    column("Pod-Selector", "Labels of the pods that the policy is about.", (object) =>
      formatLabelSelector(objectAt(specOf(object), "podSelector") ?? {}),
    ),
    AGE,
  ],
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: true,
    applyDefaults,
    validate: (object) => validate(object, new Set()),
    validateUpdate: (object, old) => validate(object, new Set(blocksOf(old).map(({ text }) => text))),
    warnings: (object) => blocksOf(object).flatMap(({ field, text }) => cidrWarnings(field, text)),
  },
});
