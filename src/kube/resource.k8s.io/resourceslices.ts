// ResourceSlice: devices that a driver offers, and the nodes that can use them.

import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  objectsOf,
  textAt,
} from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { type FieldError, invalid, required, tooLong } from "../../apimachinery/meta/field-error.ts";
import { wasGivenEmpty } from "../../apimachinery/meta/given-empty.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { RequestContext } from "../../apiserver/registry/definition/request-context.ts";
import {
  formErrors,
  invalidStruct,
  invalidStructs,
  validateSame,
} from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { isTrue, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import {
  type CodeRules,
  objectOf,
  type Place,
  schemaErrors,
} from "../../apiserver/registry/strategy/schema-rules.ts";
import { validateRequestPolicy } from "./capacities.ts";
import { REQUEST_RULES, validateQualityName } from "./device-requests.ts";

const TYPES = "io.k8s.api.resource.v1.";
const NODE_SELECTOR = "io.k8s.api.core.v1.NodeSelector";
const QUALITIES_MAX = 32;
const TEXT_MAX = 64;
const COUNTERS_MAX = 32;
const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;
const VALUES = ["int", "bool", "string", "version", "ints", "bools", "strings", "versions"];

/** Node selection members that are set. */
const waysTo = (owner: JsonObject, ways: readonly string[]): string[] =>
  ways.filter((way) => isObject(owner[way]) || isTrue(owner, way) || textAt(owner, way) !== "");

function nodesErrors(field: string, owner: JsonObject): FieldError[] {
  const ways = waysTo(owner, ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"]);
  const rule = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (ways.length === 0) return [required(field, rule)];
  return ways.length === 1 ? [] : [invalid(field, listed(ways), `${rule}, but multiple fields are set`)];
}

const listed = (ways: readonly string[]): string => `{${ways.map((way) => `\`${way}\``).join(", ")}}`;

/** Devices select their nodes only if the slice has perDeviceNodeSelection. */
function deviceNodesErrors({ field, owner, root }: Place): FieldError[] {
  const ways = ["nodeName", "nodeSelector", "allNodes"];
  if (!isTrue(specOf(root), "perDeviceNodeSelection")) {
    const rule =
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    return ways.some((way) => (owner[way] ?? undefined) !== undefined) ? [invalid(field, null, rule)] : [];
  }
  const rule =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  const { nodeName, nodeSelector, allNodes } = owner;
  const taken = waysTo(owner, ways);
  return [
    ...nodeNameErrors(`${field}.nodeName`, nodeName, "must not be empty"),
    ...(isObject(nodeSelector)
      ? schemaErrors(NODE_SELECTOR, nodeSelector, { field: `${field}.nodeSelector`, code: rules })
      : []),
    ...onlyTrueErrors(`${field}.allNodes`, allNodes),
    ...(taken.length === 0 ? [required(field, rule)] : []),
    ...(taken.length > 1 ? [invalid(field, listed(taken), rule)] : []),
  ];
}

function nodeNameErrors(field: string, name: unknown, ofNone: string): FieldError[] {
  if (name === "") return [invalid(field, "", ofNone)];
  return name === undefined ? [] : formErrors(isDns1123Subdomain, field, String(name));
}

const onlyTrueErrors = (field: string, value: unknown): FieldError[] =>
  value === false ? [invalid(field, false, "must be either unset or set to true")] : [];

/** Validates each entry of a map, and its key. */
function eachNamed(
  { field, value }: Place,
  nameErrors: (field: string, name: string) => FieldError[],
  check: (field: string, item: JsonObject) => FieldError[],
): FieldError[] {
  return Object.entries(objectOf(value)).flatMap(([name, item]) => [
    ...nameErrors(field, name),
    ...check(`${field}[${name}]`, objectOf(item)),
  ]);
}

function validateAttribute(field: string, attribute: JsonObject): FieldError[] {
  const errors = schemaErrors(`${TYPES}DeviceAttribute`, attribute, { field, code: rules });
  const given = VALUES.filter((key) => (attribute[key] ?? undefined) !== undefined);
  const rule = "exactly one value must be specified";
  if (given.length === 0) return [...errors, invalid(field, "", rule)];
  return given.length === 1 ? errors : [...errors, invalidStruct(field, attributeStruct(attribute), rule)];
}

/** As upstream's internal struct. */
const attributeStruct = (attribute: JsonObject): JsonObject =>
  Object.fromEntries(
    VALUES.map((key) => {
      const name = `${key.charAt(0).toUpperCase()}${key.slice(1).replace(/s$/, "")}Value`;
      return [key.endsWith("s") ? `${name}s` : name, attribute[key] ?? null];
    }),
  );

const rules: CodeRules = {
  ...REQUEST_RULES,
  nodeName: ({ field, value }) =>
    nodeNameErrors(field, value, "must be either unset or set to a non-empty string"),
  onlyTrue: ({ field, value }) => onlyTrueErrors(field, value),
  oneTerm({ field, value }) {
    const { NodeSelectorTerms: terms } = structOf(NODE_SELECTOR, objectOf(value));
    if (value === undefined || (Array.isArray(terms) && terms.length === 1)) return [];
    const shown = Array.isArray(terms) ? objectsOf(terms) : null;
    return [invalidStructs(`${field}.nodeSelectorTerms`, shown, "must have exactly one node selector term")];
  },
  nodes: ({ field, owner }) => nodesErrors(field, owner),
  /** Shared counters are in a slice of their own. */
  content({ field, owner }) {
    const isGiven = (member: string): boolean => Array.isArray(owner[member]) || wasGivenEmpty(owner, member);
    if (!isGiven("sharedCounters") || !isGiven("devices")) return [];
    return [invalid(field, "", "only one of `sharedCounters` or `devices` is allowed")];
  },
  samePool: ({ field, owner, old }) =>
    old === undefined
      ? []
      : validateSame(
          `${field}.pool.name`,
          textAt(objectAt(owner, "pool"), "name"),
          textAt(objectAt(old, "pool"), "name"),
        ),
  deviceNodes: deviceNodesErrors,
  qualities({ field, owner }) {
    const { attributes, capacity } = owner;
    const count = [attributes, capacity].flatMap((map) => Object.keys(objectOf(map))).length;
    const rule = `the total number of attributes and capacities must not exceed ${QUALITIES_MAX}`;
    return count > QUALITIES_MAX ? [invalid(field, count, rule)] : [];
  },
  attributes: (place) => eachNamed(place, validateQualityName, validateAttribute),
  capacity: (place) =>
    eachNamed(place, validateQualityName, (field, capacity) =>
      validateRequestPolicy(
        `${field}.requestPolicy`,
        capacity,
        isTrue(place.owner, "allowMultipleAllocations"),
      ),
    ),
  counters(place) {
    const { field, value } = place;
    const count = Object.keys(objectOf(value)).length;
    if (count > COUNTERS_MAX) return [invalid(field, count, `must not exceed ${COUNTERS_MAX}`)];
    return eachNamed(
      place,
      (at, name) => formErrors(isDns1123Label, at, name),
      () => [],
    );
  },
  attributeText: ({ field, value }) =>
    Buffer.byteLength(String(value ?? "")) > TEXT_MAX ? [tooLong(field, TEXT_MAX)] : [],
  version({ field, value }) {
    if (value === undefined) return [];
    const text = String(value);
    const rule = "must be a string compatible with semver.org spec 2.0.0";
    return [
      ...(VERSION.test(text) ? [] : [invalid(field, text, rule)]),
      ...(Buffer.byteLength(text) > TEXT_MAX ? [tooLong(field, TEXT_MAX)] : []),
    ];
  },
};

/** Members behind feature gates that are off by default in this version of upstream. */
const DROPPED = ["ints", "bools", "strings", "versions"];

/** Taints without a time get the current one. */
function prepare(object: KubeObject, { clock }: RequestContext): void {
  for (const device of objectsAt(specOf(object), "devices")) {
    delete device["nodeAllocatableResourceMappings"];
    for (const attribute of Object.values(objectOf(device["attributes"])))
      for (const member of DROPPED) if (isObject(attribute)) delete attribute[member];
    for (const taint of objectsAt(device, "taints")) taint["timeAdded"] ??= formatTime(clock.now());
  }
}

export const resourceSlices = builtIn("resource.k8s.io/v1", "ResourceSlice", {
  namespaceScoped: false,
  columns: [
    NAME,
    column("Node", "The only node that can use the devices.", "spec.nodeName"),
    column("Driver", "Name of the driver.", "spec.driver"),
    column("Pool", "The pool that the devices belong to.", "spec.pool.name"),
    AGE,
  ],
  selectableFields: ["spec.driver", "spec.nodeName"],
  strategy: {
    allowUnconditionalUpdate: true,
    hasGeneration: true,
    prepareForCreate: prepare,
    prepareForUpdate: (object, _old, context) => prepare(object, context),
  },
  returnsDeletedObject: true,
  rules,
});
