// Connections to what objects stand for: /exec, /log, /proxy and the like. Nothing is there to connect to: the answer is
// what stands in the way, or that there is nothing to be had.
import type { SubresourceDefinition } from "../../registry/definition/resource-definition.ts";
import type { ResourceStore } from "../../registry/resource-store.ts";
import type { ApiRequest, ApiResponse } from "../api-request.ts";
import { ACCEPTED } from "../request/negotiation.ts";
import { demandForms } from "../request/routed-forms.ts";

/** Throws what stands in the way. */
export function answerConnect(
  request: ApiRequest,
  { connect, gives }: SubresourceDefinition,
  resources: ResourceStore,
): ApiResponse {
  const { info, query } = request;
  demandForms(request, { produces: gives === undefined ? ["*/*"] : [gives, ...ACCEPTED] });
  connect?.({ resources, namespace: info.namespace, name: info.name, query });
  return { status: 204, headers: {}, body: undefined };
}
