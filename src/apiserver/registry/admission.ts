// Admission chain of a write, in upstream's order. Mutating phase: plugins, mutating policies, webhooks. After the
// strategy has prepared and validated the object, the validating phase: policies and webhooks.
import { elapsedMs } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { DeleteOptions, RequestContext } from "./definition/request-context.ts";
import type { Allocations, ResourceView } from "./definition/resource-definition.ts";
import { dropRepeatedOwners } from "./write/prepare.ts";

export interface AdmissionAttributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly view: ResourceView;
  readonly subresource: string;
  readonly namespace: string;
  /** "" while a generated name is not set. */
  readonly name: string;
  /** CREATE and UPDATE: the object to be stored; CONNECT: the options of the connection. admit may change it. */
  readonly object: KubeObject | undefined;
  /** UPDATE and DELETE: the stored object. */
  readonly oldObject: Readonly<KubeObject> | undefined;
  readonly context: RequestContext;
  /** Kind of the object, where it is posted below one of another kind (a Binding or PodExecOptions below a Pod). */
  readonly posted?: ResourceView;
  /** DELETE: the options of the request, with the server's defaults. */
  readonly deleteOptions?: DeleteOptions;
}

/** Admission plugin. All methods are optional. A plugin throws a StatusError, or rejects with one, to reject the request. */
export interface AdmissionPlugin {
  readonly name: string;
  /** The plugin also sees connections and reviews, which are not stored. */
  readonly seesUnstored?: true;
  /** Mutating phase, before the object is prepared: the plugin may change it. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  /** As admit, after policies and webhooks changed the object. It must be synchronous. */
  admitMutated?(attributes: AdmissionAttributes): void;
  /** Validating phase: the object is final and valid. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
  /**
   * Commits together with the plugin's own reservation of a shared value; undefined: it reserves nothing. Reservations
   * are added to the claims, which the commit reads. A dry run commits nothing, but is rejected all the same.
   */
  charge?<T>(
    attributes: AdmissionAttributes,
    claims: Allocations,
    commit: () => Promise<T>,
  ): Promise<T> | undefined;
}

/** Policies and webhooks, which are added and removed at run time. Both methods reject with a StatusError. */
export interface DynamicAdmission {
  /** May change attributes.object; undefined when no policy or webhook matches. */
  mutate(attributes: AdmissionAttributes): Promise<void> | undefined;
  /** undefined when no policy or webhook matches. */
  validate(attributes: AdmissionAttributes): Promise<void> | undefined;
}

export type AdmissionStep = "admit" | "validate";

export interface AdmissionStepObserver {
  stepTaken(step: AdmissionStep, operation: string, rejected: boolean, durationMs: number): void;
}

interface AdmissionChain {
  /** In calling order. */
  readonly admission: readonly AdmissionPlugin[];
  readonly dynamicAdmission?: DynamicAdmission;
  readonly observer?: AdmissionStepObserver | undefined;
}

/**
 * Mutating phase, before the object is prepared. Throws or rejects with a StatusError; undefined: it completed
 * synchronously.
 */
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
 * Runs policies, webhooks, and the few plugins for requests that are not stored: connections and reviews. `check` runs
 * between mutating and validating admission. Rejects with a StatusError.
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

/** Validating phase, when the object is final. Throws and rejects as admit. */
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

/** Reports the duration of the phase and whether it rejected the request. */
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

/**
 * Last step of a create or update: the commit, with the plugins' reservations. Rejects as the commit does, or with a
 * StatusError.
 */
export function commitCharged<T>(
  { admission }: AdmissionChain,
  attributes: AdmissionAttributes,
  claims: Allocations,
  commit: () => Promise<T>,
): Promise<T> {
  for (const plugin of admission) {
    const charged = plugin.charge?.(attributes, claims, commit);
    if (charged !== undefined) return charged;
  }
  return commit();
}

/** Runs the steps in order; synchronous as long as they are. */
function inTurn(steps: readonly (() => Promise<void> | void)[], from = 0): Promise<void> | undefined {
  for (let index = from; index < steps.length; index++) {
    const waiting = steps[index]?.();
    if (waiting !== undefined) return waiting.then(() => inTurn(steps, index + 1));
  }
  return undefined;
}
