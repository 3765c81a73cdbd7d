// What a write must pass beside its kind's own rules, in the order of a real server: the plugins, mutating policies and
// webhooks; then, once the object is prepared and its kind finds it valid, validating policies and webhooks.
import { elapsedMs } from "../meta/clock.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { AdmissionObserver, AdmissionStep } from "./admission-observer.ts";
import type { DeleteOptions, RequestContext } from "./definition/request-context.ts";
import type { Claims, ResourceView } from "./definition/resource-definition.ts";
import { dropRepeatedOwners } from "./write/prepare.ts";

export interface AdmissionAttributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly view: ResourceView;
  readonly subresource: string;
  readonly namespace: string;
  /** "" while a generated name has not been made yet. */
  readonly name: string;
  /** CREATE and UPDATE: what is about to be stored; CONNECT: the options of the connection. admit may change it. */
  readonly object: KubeObject | undefined;
  /** UPDATE and DELETE: what is stored. */
  readonly oldObject: Readonly<KubeObject> | undefined;
  readonly context: RequestContext;
  /** Of what the object is, where it is sent below one of another kind (a Binding or PodExecOptions below a Pod). */
  readonly posted?: ResourceView;
  /** DELETE: the options of the request, with what the server fills in. */
  readonly deleteOptions?: DeleteOptions;
}

/** All of it is optional. Whoever refuses throws a StatusError, or rejects with one. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Connections and reviews, which are not stored, concern it as well. */
  readonly seesUnstored?: true;
  /** Before the object is prepared: it may be changed. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  /** As admit, of objects as policies and webhooks have left them. It may not wait. */
  admitMutated?(attributes: AdmissionAttributes): void;
  /** When the object is as it will be stored, and valid. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
  /**
   * Commits, together with what the write takes of something that others take from as well; undefined: it takes nothing.
   * What it takes goes into the claims, which the commit reads. A dry run commits nothing, and is refused all the same.
   */
  charge?<T>(
    attributes: AdmissionAttributes,
    claims: Claims,
    commit: () => Promise<T>,
  ): Promise<T> | undefined;
}

/** Policies and webhooks, which come and go at run time. Both reject with a StatusError to refuse. */
export interface DynamicAdmission {
  /** May change attributes.object; undefined when there is nobody to ask. */
  mutate(attributes: AdmissionAttributes): Promise<void> | undefined;
  /** undefined when there is nobody to ask. */
  validate(attributes: AdmissionAttributes): Promise<void> | undefined;
}

interface AdmissionChain {
  /** In the order in which they are asked. */
  readonly admission: readonly AdmissionPlugin[];
  readonly dynamicAdmission?: DynamicAdmission;
  readonly observer?: AdmissionObserver | undefined;
}

/** Before the object is prepared. Throws or rejects with a StatusError; undefined: nothing has to be waited for. */
export function admit(chain: AdmissionChain, attributes: AdmissionAttributes): Promise<void> | undefined {
  return observed(chain, "admit", attributes, () =>
    inTurn([
      ...chain.admission.map((plugin) => () => plugin.admit?.(attributes)),
      () => chain.dynamicAdmission?.mutate(attributes),
      () => afterMutation(chain, attributes),
    ]),
  );
}

function afterMutation(chain: AdmissionChain, attributes: AdmissionAttributes): void {
  const { object, context } = attributes;
  if (object !== undefined) dropRepeatedOwners(object, context, "admission");
  for (const plugin of chain.admission) plugin.admitMutated?.(attributes);
}

/**
 * Policies and webhooks, and the few plugins that see what is not stored: connections and reviews. `check` runs between
 * mutating and validating admission. Rejects with a StatusError.
 */
export function admitUnstored(
  { admission, dynamicAdmission }: AdmissionChain,
  attributes: AdmissionAttributes,
  check: () => void = () => {},
): Promise<void> | undefined {
  const plugins = admission.filter(({ seesUnstored }) => seesUnstored);
  return inTurn([
    ...plugins.map((plugin) => () => plugin.admit?.(attributes)),
    () => dynamicAdmission?.mutate(attributes),
    ...plugins.map((plugin) => () => plugin.admitMutated?.(attributes)),
    check,
    ...plugins.map((plugin) => () => plugin.validate?.(attributes)),
    () => dynamicAdmission?.validate(attributes),
  ]);
}

/** When the object is as it will be stored. Throws and rejects as admit. */
export function admitFinal(
  chain: AdmissionChain,
  attributes: AdmissionAttributes,
): Promise<void> | undefined {
  return observed(chain, "validate", attributes, () =>
    inTurn([
      ...chain.admission.map((plugin) => () => plugin.validate?.(attributes)),
      () => chain.dynamicAdmission?.validate(attributes),
    ]),
  );
}

/** Reports how long the step took and whether it rejected the request. */
function observed(
  { observer }: AdmissionChain,
  step: AdmissionStep,
  { operation }: AdmissionAttributes,
  run: () => Promise<void> | undefined,
): Promise<void> | undefined {
  if (observer === undefined) return run();
  const from = elapsedMs();
  const ended = (rejected: boolean) => observer.stepTaken(step, operation, rejected, elapsedMs() - from);
  const failed = (error: unknown): never => {
    ended(true);
    throw error;
  };
  try {
    const waiting = run();
    if (waiting !== undefined) return waiting.then(() => ended(false), failed);
  } catch (error) {
    failed(error);
  }
  ended(false);
  return undefined;
}

/** The last step of a write that makes or changes an object. Rejects as the commit does, and with a StatusError to refuse. */
export function commitCharged<T>(
  { admission }: AdmissionChain,
  attributes: AdmissionAttributes,
  claims: Claims,
  commit: () => Promise<T>,
): Promise<T> {
  for (const plugin of admission) {
    const charged = plugin.charge?.(attributes, claims, commit);
    if (charged !== undefined) return charged;
  }
  return commit();
}

/** One after the other; nothing is waited for while there is nothing to wait for. */
function inTurn(steps: readonly (() => Promise<void> | void)[], from = 0): Promise<void> | undefined {
  for (let index = from; index < steps.length; index++) {
    const waiting = steps[index]?.();
    if (waiting !== undefined) return waiting.then(() => inTurn(steps, index + 1));
  }
  return undefined;
}
