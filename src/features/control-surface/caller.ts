// The caller of a control request: its user and its authorization. Control routes read and write stored objects with
// the caller's own permissions, as the Kubernetes API would.

import { describeResource } from "../../apimachinery/meta/status.ts";
import type {
  AccessAttributes,
  ResourceAttributes,
  UserInfo,
} from "../../apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import type { Client } from "../../controller/client.ts";

export interface Caller {
  readonly user: UserInfo;
  may(attributes: AccessAttributes): boolean;
  /** Throws the 403 of the Kubernetes API when the caller is not authorized. */
  demand(attributes: AccessAttributes): void;
  /**
   * Reports whether every request of the user is authorized: group system:masters, or rules that allow all verbs on
   * everything.
   */
  mayDoEverything(): boolean;
  /** A client with the caller's permissions: a request that is not authorized rejects with a 403. */
  clientFor(fieldManager: string): Client;
}

/** Returns the caller for an authenticated user. */
export type CallerOf = (user: UserInfo) => Caller;

/** The object request to authorize. */
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

/** A kind's name in messages: "secrets", "egressips.k8s.ovn.org". */
export const nameOfKind = ({ definition }: ResourceView): string => describeResource(definition);
