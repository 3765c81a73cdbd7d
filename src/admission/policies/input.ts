// What the expressions of a policy or of a webhook see of a request.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { AdmissionDeps } from "../deps.ts";
import type { ExpressionInput } from "../expressions/activation.ts";
import type { ObjectsInView, WriteRequest } from "../matching/request.ts";

export interface SeenRequest {
  readonly view: ResourceView;
  readonly objects: ObjectsInView;
  readonly params: Readonly<KubeObject> | undefined;
}

/** Throws 404 when the namespace of the object is not there. */
export function expressionInput(
  request: WriteRequest,
  { view, objects, params }: SeenRequest,
  { authorizer }: AdmissionDeps,
): ExpressionInput {
  const { context, view: own, subresource, name } = request.attributes;
  const { group, resource } = own.definition;
  return {
    object: objects.object,
    oldObject: objects.oldObject,
    request: request.describe(view),
    namespaceObject: request.namespaceObject(),
    params,
    access: {
      authorizer,
      user: context.user,
      asked: { group, resource, subresource, namespace: request.namespace, name },
    },
  };
}
