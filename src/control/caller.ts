// In whose name a control call is made, and what he may do with objects. What is in the store is read and written with
// the caller's own rights, as if he had asked the Kubernetes API for it.
import type { Client } from "../client/client.ts";
import { describeResource } from "../meta/status.ts";
import type {
  AccessAttributes,
  ResourceAttributes,
  UserInfo,
} from "../registry/definition/request-context.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";

export interface Caller {
  readonly user: UserInfo;
  may(attributes: AccessAttributes): boolean;
  /** Throws the 403 of the Kubernetes API. */
  demand(attributes: AccessAttributes): void;
  /** Whether nothing is refused to him: the group system:masters, or rules that allow all verbs on everything. */
  mayDoEverything(): boolean;
  /** Reads and writes with his rights: what he may not do rejects with a 403. */
  clientFor(fieldManager: string): Client;
}

/** Finds out who a user is. */
export type CallerOf = (user: UserInfo) => Caller;

/** What he would ask the API for. */
export interface ObjectQuestion {
  readonly verb: string;
  readonly view: ResourceView;
  /** "" for cluster-scoped kinds, and across namespaces. */
  readonly namespace: string;
  /** "" for a collection. */
  readonly name?: string;
}

export function questionOf(
  { user }: Pick<Caller, "user">,
  { verb, view, namespace, name = "" }: ObjectQuestion,
): ResourceAttributes {
  const { group, resource } = view.definition;
  const version = view.version.name;
  return { type: "resource", user, verb, group, version, resource, subresource: "", namespace, name };
}

/** How a kind is named to a person: "secrets", "egressips.k8s.ovn.org". */
export const nameOfKind = ({ definition }: ResourceView): string => describeResource(definition);
