// NetworkPolicy: which traffic may reach and leave a set of pods.

import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { cidrContains, ipFromValue } from "../../meta/ip.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { cidrWarnings, parseSloppyCidr, validateCidr } from "../addresses.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { ensureObject, numberAt, objectsAt, setDefault, textAt, textsAt } from "../fields.ts";
import { formatLabelSelector, validateLabelSelector } from "../label-selectors.ts";
import { isPortName, isPortNumber } from "../ports.ts";

const POLICY_TYPES = ["Ingress", "Egress"];
const PROTOCOLS = ["TCP", "UDP", "SCTP"];
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
function validate(object: Readonly<JsonObject>, known: ReadonlySet<string>): FieldError[] {
  const spec = objectAt(object, "spec") ?? {};
  const errors = validateLabelSelector("spec.podSelector", objectAt(spec, "podSelector"));
  for (const [direction, side] of DIRECTIONS) {
    objectsAt(spec, direction).forEach((rule, index) => {
      const field = `spec.${direction}[${index}]`;
      append(
        errors,
        objectsAt(rule, "ports").flatMap((port, at) => validatePort(`${field}.ports[${at}]`, port)),
        objectsAt(rule, side).flatMap((peer, at) => validatePeer(`${field}.${side}[${at}]`, peer, known)),
      );
    });
  }
  const types = textsAt(spec, "policyTypes");
  if (types.length > POLICY_TYPES.length) {
    return [...errors, invalid("spec.policyTypes", types, "may not specify more than two policyTypes")];
  }
  types.forEach((type, index) => {
    if (POLICY_TYPES.includes(type)) return;
    errors.push(notSupported(`spec.policyTypes[${index}]`, type, POLICY_TYPES));
  });
  return errors;
}

function validatePort(field: string, item: JsonObject): FieldError[] {
  const { protocol, port } = item;
  const endPort = numberAt(item, "endPort");
  const errors: FieldError[] = [];
  if (protocol !== undefined && !PROTOCOLS.includes(String(protocol))) {
    errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  }
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

function validatePeer(field: string, peer: JsonObject, known: ReadonlySet<string>): FieldError[] {
  const podSelector = objectAt(peer, "podSelector");
  const namespaceSelector = objectAt(peer, "namespaceSelector");
  const ipBlock = objectAt(peer, "ipBlock");
  const errors = [
    ...validateLabelSelector(`${field}.podSelector`, podSelector),
    ...validateLabelSelector(`${field}.namespaceSelector`, namespaceSelector),
    ...(ipBlock === undefined ? [] : validateIpBlock(`${field}.ipBlock`, ipBlock, known)),
  ];
  const bySelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!bySelector && ipBlock === undefined) errors.push(required(field, "must specify a peer"));
  if (bySelector && ipBlock !== undefined) {
    errors.push(forbidden(field, "may not specify both ipBlock and another peer"));
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

export const networkPolicies = builtIn({
  type: "io.k8s.api.networking.v1.NetworkPolicy",
  group: "networking.k8s.io",
  version: "v1",
  resource: "networkpolicies",
  shortNames: ["netpol"],
  namespaceScoped: true,
  columns: [NAME, column("Pod-Selector", "Labels of the pods that the policy is about."), AGE],
  printRow,
  strategy,
});
