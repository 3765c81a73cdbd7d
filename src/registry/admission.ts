// What a write must pass beside its kind's own rules, in the order of a real server: the plugins, mutating policies and
// webhooks; then, once the object is prepared and its kind finds it valid, validating policies and webhooks.
import type { KubeObject } from "../meta/object-meta.ts";
import type { DeleteOptions, RequestContext } from "./definition/request-context.ts";
import type { ResourceView } from "./definition/resource-definition.ts";
import { dropRepeatedOwners } from "./write/prepare.ts";

export interface AdmissionAttributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly view: ResourceView;
  readonly subresource: string;
  readonly namespace: string;
  /** "" while a generated name has not been made yet. */
  readonly name: string;
  /** CREATE and UPDATE: what is about to be stored; admit may change it. */
  readonly object: KubeObject | undefined;
  /** UPDATE and DELETE: what is stored. */
  readonly oldObject: Readonly<KubeObject> | undefined;
  readonly context: RequestContext;
  /** Of what the object is, where it is posted below one of another kind (a Binding below a Pod). */
  readonly posted?: ResourceView;
  /** DELETE: what was asked for. */
  readonly deleteOptions?: DeleteOptions;
}

export interface AdmissionPlugin {
  readonly name: string;
  /** Looks at objects as policies and webhooks have left them. */
  readonly afterMutation?: boolean;
  /** Throws a StatusError to refuse. */
  admit(attributes: AdmissionAttributes): void;
}

/** Policies and webhooks, which come and go at run time. Both reject with a StatusError to refuse. */
export interface DynamicAdmission {
  /** May change attributes.object; undefined when there is nobody to ask. */
  mutate(attributes: AdmissionAttributes): Promise<void> | undefined;
  /** undefined when there is nobody to ask. */
  validate(attributes: AdmissionAttributes): Promise<void> | undefined;
}

interface AdmissionChain {
  readonly admission: readonly AdmissionPlugin[];
  readonly dynamicAdmission?: DynamicAdmission;
}

/** Before the object is prepared. Throws or rejects with a StatusError; undefined: nothing has to be waited for. */
export function admit(chain: AdmissionChain, attributes: AdmissionAttributes): Promise<void> | undefined {
  runPlugins(chain.admission, attributes, false);
  const mutating = chain.dynamicAdmission?.mutate(attributes);
  if (mutating !== undefined) return mutating.then(() => afterMutation(chain, attributes));
  afterMutation(chain, attributes);
  return undefined;
}

function afterMutation(chain: AdmissionChain, attributes: AdmissionAttributes): void {
  const { object, context } = attributes;
  if (object !== undefined) dropRepeatedOwners(object, context, "admission");
  runPlugins(chain.admission, attributes, true);
}

/** When the object is as it will be stored. Rejects with a StatusError; undefined: nothing has to be waited for. */
export function admitFinal(
  { dynamicAdmission }: AdmissionChain,
  attributes: AdmissionAttributes,
): Promise<void> | undefined {
  return dynamicAdmission?.validate(attributes);
}

function runPlugins(
  plugins: readonly AdmissionPlugin[],
  attributes: AdmissionAttributes,
  late: boolean,
): void {
  for (const plugin of plugins) {
    if ((plugin.afterMutation === true) === late) plugin.admit(attributes);
  }
}
