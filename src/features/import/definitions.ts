// Decides whether an imported CustomResourceDefinition may be stored. A CRD that a cluster has served was validated
// there, by the rules of its release, so only the prerequisites of its routes are checked. A CRD derived from objects
// is validated like an API create.
import { cloneJson } from "../../apimachinery/json/json.ts";
import { invalidObject, StatusError } from "../../apimachinery/meta/status.ts";
import { conformObject } from "../../apiserver/registry/codec/object-decoder.ts";
import type { RequestContext } from "../../apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import { strategyOf } from "../../apiserver/registry/definition/view.ts";
import { validateNewMetadata } from "../../apiserver/registry/write/validate.ts";
import { type Arrived, isDefinition } from "./arrivals.ts";
import { Undecodable } from "./stored-form.ts";

/** Returns why the CRD is not stored; undefined: it may be. The view is that of CustomResourceDefinition. */
export function definitionComplaint(
  view: ResourceView,
  arrived: Arrived,
  context: RequestContext,
): string | undefined {
  if (!isDefinition(arrived)) return undefined;
  try {
    const refuse = (why: string) => new Undecodable(why);
    const { object } = conformObject(view, cloneJson(arrived.read()), { refuse });
    if (!arrived.isDerived) return prefixed(strategyOf(view).importComplaint?.(object));
    strategyOf(view).prepareForCreate?.(object, context);
    const errors = [
      ...validateNewMetadata(view, object),
      ...(strategyOf(view).validate?.(object, context) ?? []),
    ];
    const { group, kind } = view.definition;
    return errors.length === 0 ? undefined : invalidObject({ group, kind }, arrived.name, errors).message;
  } catch (error) {
    if (error instanceof Undecodable || error instanceof StatusError) return prefixed(error.message);
    throw error;
  }
}

const prefixed = (why: string | undefined): string | undefined =>
  why === undefined ? undefined : `is a CustomResourceDefinition that cannot be served: ${why}`;
