// Dynamic admission: the policies and webhooks in the store, in order of invocation. Mutating policies precede
// mutating webhooks; both are reinvoked when one of them has changed the object. Validating policies precede
// validating webhooks. Without any of them a write only checks that the sets are empty.
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { KeyValue } from "../../storage/store.ts";
import type { AdmissionAttributes, DynamicAdmission } from "../registry/admission.ts";
import { decodeInVersion } from "../registry/codec/versions.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { type Following, followObjects } from "../registry/read/watch.ts";
import { isExempt, isExemptFromPolicies } from "./matching.ts";
import { Reinvocation, type Round } from "./mutators.ts";
import { compileMutatingPolicy, compileValidatingPolicy, readBinding } from "./policies/compiled-policy.ts";
import { runMutatingPolicies } from "./policies/mutating-policies.ts";
import { demandParamAccess } from "./policies/param-access.ts";
import { runValidatingPolicies } from "./policies/validating-policies.ts";
import { ADMISSION_GROUP, type AdmissionDeps, WriteRequest } from "./request.ts";
import { callMutatingWebhooks, callValidatingWebhooks } from "./webhooks/ask-webhooks.ts";
import { readWebhooks } from "./webhooks/webhook.ts";

/** Run after the plugins and before the quotas: see src/apiserver/registry/admission.ts. */
export const DYNAMIC_PLUGINS = [
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
] as const;

export type DynamicPlugin = (typeof DYNAMIC_PLUGINS)[number];

export interface FollowedAdmission extends DynamicAdmission {
  /** Until this call no policy or webhook is invoked: bootstrap writes must not depend on stored configuration. */
  start(): void;
  stop(): void;
}

/** Throws when the kinds are not served. */
export function createDynamicAdmission(deps: AdmissionDeps): FollowedAdmission {
  const stops: (() => void)[] = [];
  const follow = <T>(
    plugin: DynamicPlugin,
    resource: string,
    make: (object: Readonly<KubeObject>) => T,
  ): Pick<Followed<T>, "empty" | "all"> => {
    if (deps.off?.includes(plugin)) return { empty: true, all: [] };
    const view = deps.resources.findStorage(ADMISSION_GROUP, resource);
    if (view === undefined) throw new Error(`${resource}.${ADMISSION_GROUP} are not served here`);
    const followed = new Followed(deps, view, make);
    stops.push(followed.stop);
    return followed;
  };
  const mutating = {
    policies: follow("MutatingAdmissionPolicy", "mutatingadmissionpolicies", compileMutatingPolicy),
    bindings: follow("MutatingAdmissionPolicy", "mutatingadmissionpolicybindings", readBinding),
    webhooks: follow("MutatingAdmissionWebhook", "mutatingwebhookconfigurations", readWebhooks),
  };
  const validating = {
    policies: follow("ValidatingAdmissionPolicy", "validatingadmissionpolicies", compileValidatingPolicy),
    bindings: follow("ValidatingAdmissionPolicy", "validatingadmissionpolicybindings", readBinding),
    webhooks: follow("ValidatingAdmissionWebhook", "validatingwebhookconfigurations", readWebhooks),
  };
  let started = false;
  const isAsked = (
    { policies, bindings, webhooks }: typeof mutating | typeof validating,
    { view }: AdmissionAttributes,
  ): boolean => {
    const nobody = (policies.empty || bindings.empty) && webhooks.empty;
    return started && !nobody && !isExempt(view.definition);
  };

  const mutate = async (attributes: AdmissionAttributes): Promise<void> => {
    const request = new WriteRequest(attributes, deps);
    const asked = { policies: new Reinvocation(), webhooks: new Reinvocation() };
    const repeats = [false];
    for (const again of repeats) {
      const repeat = () => {
        if (repeats.length === 1) repeats.push(true);
      };
      const round: Round = { again, ...asked, repeat };
      if (!isExemptFromPolicies(attributes.view.definition))
        await runMutatingPolicies(mutating.policies.all, mutating.bindings.all, request, round);
      await callMutatingWebhooks(mutating.webhooks.all.flat(), request, round);
    }
  };
  const validate = async (attributes: AdmissionAttributes): Promise<void> => {
    const request = new WriteRequest(attributes, deps);
    if (!isExemptFromPolicies(attributes.view.definition))
      await runValidatingPolicies(validating.policies.all, validating.bindings.all, request);
    await callValidatingWebhooks(validating.webhooks.all.flat(), request);
  };
  return {
    start() {
      started = true;
    },
    mutate: (attributes) => (isAsked(mutating, attributes) ? mutate(attributes) : undefined),
    validate(attributes) {
      if (started) demandParamAccess(attributes, deps);
      return isAsked(validating, attributes) ? validate(attributes) : undefined;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** All objects of a kind in compiled form, kept in sync with the store. An object is compiled on its first use. */
class Followed<T> {
  readonly stop: () => void;
  readonly #view: ResourceView;
  readonly #make: (object: Readonly<KubeObject>) => T;
  readonly #objects = new Map<string, KeyValue>();
  readonly #made = new WeakMap<KeyValue, T>();
  #all: readonly T[] | undefined;

  constructor(
    { store, onError }: Pick<AdmissionDeps, "store" | "onError">,
    view: ResourceView,
    make: (object: Readonly<KubeObject>) => T,
  ) {
    this.#view = view;
    this.#make = make;
    const following: Following = {
      begin: (objects) => {
        this.#objects.clear();
        this.#all = undefined;
        for (const kv of objects) this.#objects.set(kv.key, kv);
      },
      take: (events) => {
        for (const { type, kv } of events) {
          if (type === "DELETED") this.#objects.delete(kv.key);
          else this.#objects.set(kv.key, kv);
        }
        this.#all = undefined;
      },
    };
    this.stop = followObjects(store, view, following, onError);
  }

  get empty(): boolean {
    return this.#objects.size === 0;
  }

  /** Sorted by name. */
  get all(): readonly T[] {
    this.#all ??= [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kv]) => this.#formOf(kv));
    return this.#all;
  }

  #formOf(kv: KeyValue): T {
    const made = this.#made.get(kv) ?? this.#make(decodeInVersion(this.#view, kv));
    this.#made.set(kv, made);
    return made;
  }
}
