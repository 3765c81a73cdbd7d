// Type checking of a policy's expressions against the schemas of the kinds that its rules name. A finding is a
// warning in the policy's status, and does not affect evaluation.

import { DYN } from "../../apimachinery/cel/language/types.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { typeOfNode } from "../../apimachinery/schema/rules/decl-type.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { apiVersionOf } from "../registry/definition/view.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { compileVariables, findTypeIssues, type Scope } from "./expressions/compile.ts";

/** Limit of checked kinds per rule. */
const KINDS_MAX = 10;

export interface ExpressionWarning {
  /** Path of the expression: spec.validations[0].expression. */
  readonly fieldRef: string;
  readonly warning: string;
}

export function checkPolicyTypes(
  policy: Readonly<KubeObject>,
  resources: ResourceRegistry,
): ExpressionWarning[] {
  const spec = objectAt(policy, "spec") ?? {};
  const kinds = kindsOf(policy, resources);
  const paramKind = objectAt(spec, "paramKind");
  const params =
    paramKind && resources.findByKind(textAt(paramKind, "apiVersion"), textAt(paramKind, "kind"));
  const variables = objectsAt(spec, "variables");
  const check = (text: string): string => {
    const issues = kinds.flatMap((view) => {
      const scope = scopeFor(view, params, variables);
      const found = findTypeIssues(text, scope);
      return found === undefined ? [] : [`${apiVersionOf(view)}, Kind=${view.definition.kind}: ${found}\n`];
    });
    return issues.join("\n");
  };
  return objectsAt(spec, "validations").flatMap((validation, index) =>
    ["expression", "messageExpression"].flatMap((member) => {
      const text = textAt(validation, member);
      const warning = text === "" ? "" : check(text);
      return warning === "" ? [] : [{ fieldRef: `spec.validations[${index}].${member}`, warning }];
    }),
  );
}

function scopeFor(
  view: ResourceView,
  params: ResourceView | undefined,
  variables: readonly Record<string, unknown>[],
): Scope {
  const types = { object: typeOf(view), params: params && typeOf(params) };
  return compileVariables(variables, { params: params !== undefined, authorizer: true, types }).scope;
}

const typeOf = ({ definition, version }: ResourceView) => typeOfNode(version.node, definition.kind) ?? DYN;

/** The kinds that the rules name without a wildcard, sorted by group, version and kind. */
function kindsOf(policy: Readonly<KubeObject>, resources: ResourceRegistry): ResourceView[] {
  const found = new Map<string, ResourceView>();
  const rules = objectsAt(objectAt(objectAt(policy, "spec"), "matchConstraints"), "resourceRules");
  for (const rule of rules) {
    const names = ["apiGroups", "apiVersions", "resources"].map((member) => textsAt(rule, member).sort());
    const [groups = [], versions = [], all = []] = names;
    if ([...groups, ...versions].some((name) => name.includes("*"))) continue;
    const plain = all.filter((name) => !/[*/]/.test(name));
    let count = 0;
    for (const group of groups)
      for (const version of versions)
        for (const resource of plain) {
          const view = resources.find(group, version, resource);
          if (view === undefined || count >= KINDS_MAX) continue;
          found.set(`${group}/${version}/${view.definition.kind}`, view);
          count += 1;
        }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, view]) => view);
}
