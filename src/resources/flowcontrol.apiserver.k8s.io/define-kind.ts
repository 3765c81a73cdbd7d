// What FlowSchemas and PriorityLevelConfigurations have in common: who writes what, and that nobody changes what the mandatory
// ones say.
import type { FieldError } from "../../meta/field-error.ts";
import { equalJson, type JsonObject } from "../../meta/json.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { invalidStruct } from "../checks.ts";
import { type BuiltInKind, builtIn } from "../define.ts";
import { keepingStatus, nameOf, ONLY_STATUS, specOf } from "../fields.ts";
import { structOf } from "../internal-struct.ts";
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

/** What the mandatory object of a name has to say, with all that may be set besides. */
function mandatoryErrors(kind: Kind, object: Readonly<JsonObject>): FieldError[] {
  const name = nameOf(object);
  const wanted = KNOWN[kind].find((known) => known.mandatory && known.name === name)?.spec;
  if (wanted === undefined) return [];
  const spec = specOf(object);
  // The shares of the level without limits are the administrator's.
  const { exempt: isFree, ...fixed } = wanted;
  const { exempt: _exempt, ...given } = spec;
  if (equalJson(given, fixed)) return [];
  const but = isFree === undefined ? "" : " except the 'spec.exempt' field";
  const rule = `spec of '${name}'${but} must equal the fixed value`;
  return [invalidStruct("spec", structOf(`io.k8s.api.flowcontrol.v1.${kind}Spec`, spec), rule)];
}
