// What a write must pass beside its kind's own rules. Plugins run in the order in which they are given, after
// decoding and before validation, as mutating admission does in a real server.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RequestContext } from "../request-context.ts";
import type { ResourceView } from "../resource-definition.ts";

export interface AdmissionAttributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly view: ResourceView;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** CREATE and UPDATE: what is about to be stored; admit may change it. */
  readonly object: KubeObject | undefined;
  /** UPDATE and DELETE: what is stored. */
  readonly oldObject: Readonly<KubeObject> | undefined;
  readonly context: RequestContext;
}

export interface AdmissionPlugin {
  readonly name: string;
  /** Throws a StatusError to refuse. */
  admit(attributes: AdmissionAttributes): void;
}

export function admitAll(plugins: readonly AdmissionPlugin[], attributes: AdmissionAttributes): void {
  for (const plugin of plugins) plugin.admit(attributes);
}
