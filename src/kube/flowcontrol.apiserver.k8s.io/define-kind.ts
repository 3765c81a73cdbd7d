// Shared parts of FlowSchema and PriorityLevelConfiguration: endpoints, and the fixed specs of the mandatory objects.

import { equalJson, type JsonObject } from "../../apimachinery/json/json.ts";
import type { FieldError } from "../../apimachinery/meta/field-error.ts";
import type { ResourceDefinition } from "../../apiserver/registry/definition/resource-definition.ts";
import { invalidStruct } from "../../apiserver/registry/strategy/checks.ts";
import { type BuiltInKind, builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keepingStatus, nameOf, ONLY_STATUS, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { BOOTSTRAP_LEVELS, BOOTSTRAP_SCHEMAS, FLOW_CONTROL_GROUP } from "./bootstrap.ts";

const KNOWN = { FlowSchema: BOOTSTRAP_SCHEMAS, PriorityLevelConfiguration: BOOTSTRAP_LEVELS };

type Kind = keyof typeof KNOWN;

export const flowControlKind = (
  kind: Kind,
  { rules, ...shown }: Required<Pick<BuiltInKind, "columns" | "rules">> & Pick<BuiltInKind, "rowOrder">,
): ResourceDefinition =>
  builtIn(`${FLOW_CONTROL_GROUP}/v1`, kind, {
    namespaceScoped: false,
    ...shown,
    strategy: { ...keepingStatus({}), hasGeneration: true, metadataChecksOnUpdate: ["new"] },
    status: { ...ONLY_STATUS, allowUnconditionalUpdate: true },
    rules: { ...rules, mandatory: ({ owner }) => mandatoryErrors(kind, owner) },
  });

/** Compares a mandatory object with its fixed spec, apart from configurable members. */
function mandatoryErrors(kind: Kind, object: Readonly<JsonObject>): FieldError[] {
  const name = nameOf(object);
  const wanted = KNOWN[kind].find((known) => known.mandatory && known.name === name)?.spec;
  if (wanted === undefined) return [];
  const spec = specOf(object);
  // The shares of the exempt level are configurable.
  const { exempt: isFree, ...fixed } = wanted;
  const { exempt: _exempt, ...given } = spec;
  if (equalJson(given, fixed)) return [];
  const but = isFree === undefined ? "" : " except the 'spec.exempt' field";
  const rule = `spec of '${name}'${but} must equal the fixed value`;
  return [invalidStruct("spec", structOf(`io.k8s.api.flowcontrol.v1.${kind}Spec`, spec), rule)];
}
