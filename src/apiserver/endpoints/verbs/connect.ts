// Connections to containers and nodes: /exec, /log, /proxy and the like. The simulated cluster has no containers:
// the response is the first error of a kube-apiserver, or an empty success.

import type { JsonObject } from "../../../apimachinery/json/json.ts";
import type { Clock } from "../../../apimachinery/meta/clock.ts";
import type { Ids } from "../../../apimachinery/meta/ids.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { badRequest } from "../../../apimachinery/meta/status.ts";
import type { ResourceView, SubresourceDefinition } from "../../registry/definition/resource-definition.ts";
import type { ResourceStore } from "../../registry/resource-store.ts";
import type { ApiRequest, ApiResponse } from "../api-request.ts";
import { ACCEPTED } from "../request/negotiation.ts";
import { namespaceIn } from "../request/options.ts";
import { pathBelow } from "../request/request-info.ts";
import { demandForms } from "../request/routed-forms.ts";
import type { Warnings } from "../response/warnings.ts";

interface Connection {
  readonly request: ApiRequest;
  readonly view: ResourceView;
  readonly subresource: SubresourceDefinition;
  readonly resources: ResourceStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly warnings: Warnings;
}

/** Throws or rejects with the error of the kind, 400, 406, or an error of admission. */
export function answerConnect(connection: Connection): ApiResponse | Promise<ApiResponse> {
  const { request, view, resources } = connection;
  const { gives, connect, options: kind } = connection.subresource;
  const { info, query } = request;
  demandForms(request, { produces: gives === undefined ? ["*/*"] : [gives, ...ACCEPTED] });
  if (gives === undefined && query.has("dryRun")) throw badRequest("dryRun is not supported");
  const options = kind?.read(query, pathBelow(info, request.path)) ?? {};
  const go = (): ApiResponse => {
    const { resource } = view.definition;
    const isUpgrade = (request.headers["connection"] ?? "").toLowerCase().includes("upgrade");
    const { namespace, name } = info;
    connect?.({ resources, resource, namespace, name, query, isUpgrade, options });
    return { status: 204, headers: {}, body: undefined };
  };
  const admitted = kind && admitConnection(connection, kind.view, options);
  return admitted ? admitted.then(go) : go();
}

/** Runs admission, which may change the options. */
function admitConnection(
  { request, view, subresource, resources, clock, ids, warnings }: Connection,
  posted: ResourceView,
  options: JsonObject,
): Promise<void> | undefined {
  const { info, user } = request;
  const warn = (text: string) => warnings.add(text);
  return resources.admitUnstored({
    operation: "CONNECT",
    view,
    subresource: subresource.name,
    namespace: namespaceIn(view, info),
    name: info.name,
    object: options as KubeObject, // options without metadata
    oldObject: undefined,
    posted,
    context: { user, fieldManager: "", dryRun: false, clock, ids, warn },
  });
}
