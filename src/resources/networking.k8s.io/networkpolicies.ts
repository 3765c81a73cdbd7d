// NetworkPolicy: which traffic may reach and leave a set of pods.

import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { cidrContains, ipFromValue } from "../../meta/ip.ts";
import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { cidrWarnings, parseSloppyCidr, validateCidr } from "../addresses.ts";
import { isPortName, isPortNumber } from "../checks.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { ensureObject, setDefault } from "../fields.ts";
import { formatLabelSelector, validateLabelSelector } from "../label-selectors.ts";
import { schemaErrors } from "../schema-rules.ts";

const POLICY_TYPES = ["Ingress", "Egress"];
/** The rules of each direction, and what they call the other side. */
const DIRECTIONS = [
  ["ingress", "from"],
  ["egress", "to"],
] as const;

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  return {
    cells: [
      textAt(metadata, "name"),
      formatLabelSelector(objectAt(objectAt(object, "spec"), "podSelector") ?? {}),
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  for (const [direction] of DIRECTIONS) {
    for (const port of objectsAt(spec, direction).flatMap((rule) => objectsAt(rule, "ports"))) {
      setDefault(port, "protocol", "TCP");
    }
  }
  if (textsAt(spec, "policyTypes").length > 0) return;
  spec["policyTypes"] = objectsAt(spec, "egress").length > 0 ? POLICY_TYPES : ["Ingress"];
}

/** CIDRs that the object had before stay allowed, however they are written. */
const validate = (object: Readonly<JsonObject>, known: ReadonlySet<string>): FieldError[] =>
  schemaErrors("io.k8s.api.networking.v1.NetworkPolicySpec", objectAt(object, "spec") ?? {}, {
    field: "spec",
    code: {
      selector: ({ field, value }) => validateLabelSelector(field, isObject(value) ? value : {}),
      policyTypes: ({ field, value }) => validateTypes(field, [value].flat()),
      ports: ({ field, owner }) => validatePort(field, owner),
      block: ({ field, value }) => validateIpBlock(field, isObject(value) ? value : {}, known),
      peer: ({ field, owner }) => validatePeer(field, owner),
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
    append(
      errors,
      isPortName(port).map((text) => invalid(`${field}.port`, port, text)),
    );
  } else {
    const first = numberAt(item, "port") ?? 0;
    append(
      errors,
      isPortNumber(first).map((text) => invalid(`${field}.port`, first, text)),
    );
    if (endPort === undefined) return errors;
    if (endPort < first) endErrors("must be greater than or equal to `port`", first);
    for (const text of isPortNumber(endPort)) endErrors(text);
  }
  return errors;
}

function validatePeer(field: string, { podSelector, namespaceSelector, ipBlock }: JsonObject): FieldError[] {
  const bySelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!bySelector && ipBlock === undefined) return [required(field, "must specify a peer")];
  if (!bySelector || ipBlock === undefined) return [];
  return [forbidden(field, "may not specify both ipBlock and another peer")];
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

interface Block {
  readonly field: string;
  readonly text: string;
}

function blocksOf(object: Readonly<JsonObject>): Block[] {
  const spec = objectAt(object, "spec");
  return DIRECTIONS.flatMap(([direction, side]) =>
    objectsAt(spec, direction).flatMap((rule, index) =>
      objectsAt(rule, side).flatMap((peer, at) => {
        const field = `spec.${direction}[${index}].${side}[${at}].ipBlock`;
        const block = objectAt(peer, "ipBlock");
        return block === undefined
          ? []
          : [
              { field: `${field}.cidr`, text: textAt(block, "cidr") },
              ...textsAt(block, "except").map((text, place) => ({
                field: `${field}.except[${place}]`,
                text,
              })),
            ];
      }),
    ),
  );
}

const strategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  applyDefaults,
  validate: (object) => validate(object, new Set()),
  validateUpdate: (object, old) => validate(object, new Set(blocksOf(old).map(({ text }) => text))),
  warnings: (object) => blocksOf(object).flatMap(({ field, text }) => cidrWarnings(field, text)),
};

export const networkPolicies = builtIn("networking.k8s.io/v1", "NetworkPolicy", {
  shortNames: ["netpol"],
  columns: [NAME, column("Pod-Selector", "Labels of the pods that the policy is about."), AGE],
  printRow,
  strategy,
});
