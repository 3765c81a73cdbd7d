// Connections to containers and nodes: /exec, /log, /proxy and the like. The simulated cluster has none to connect to: the
// answer is the error that comes first on a real server, or an empty success.
import { badRequest } from "../../meta/status.ts";
import type { SubresourceDefinition } from "../../registry/definition/resource-definition.ts";
import type { ResourceStore } from "../../registry/resource-store.ts";
import type { ApiRequest, ApiResponse } from "../api-request.ts";
import { ACCEPTED } from "../request/negotiation.ts";
import { demandForms } from "../request/routed-forms.ts";

/** Throws the error of the kind, 400 and 406. */
export function answerConnect(
  request: ApiRequest,
  { connect, gives }: SubresourceDefinition,
  resources: ResourceStore,
): ApiResponse {
  const { info, query } = request;
  demandForms(request, { produces: gives === undefined ? ["*/*"] : [gives, ...ACCEPTED] });
  if (gives === undefined && query.has("dryRun")) throw badRequest("dryRun is not supported");
  connect?.({ resources, namespace: info.namespace, name: info.name, query });
  return { status: 204, headers: {}, body: undefined };
}
