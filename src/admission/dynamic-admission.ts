// Policies and webhooks, as they stand in the store: who is asked about a write, and in which order. Mutating policies
// come before mutating webhooks, and both are asked a second time when one of them has changed the object; validating
// policies come before validating webhooks. With none of them a write pays for one look at empty sets.
import type { AdmissionAttributes, DynamicAdmission } from "../registry/admission.ts";
import { ADMISSION_GROUP, type AdmissionDeps } from "./deps.ts";
import { Followed } from "./followed.ts";
import { isExempt } from "./matching/exempt.ts";
import { WriteRequest } from "./matching/request.ts";
import { compileMutatingPolicy, compileValidatingPolicy, readBinding } from "./policies/compiled-policy.ts";
import { runMutatingPolicies } from "./policies/mutating-policies.ts";
import { demandParamAccess } from "./policies/param-access.ts";
import { runValidatingPolicies } from "./policies/validating-policies.ts";
import { Reinvocation, type Round } from "./reinvocation.ts";
import { callMutatingWebhooks } from "./webhooks/mutating-webhooks.ts";
import { callValidatingWebhooks } from "./webhooks/validating-webhooks.ts";
import { readWebhooks } from "./webhooks/webhook.ts";

export interface FollowedAdmission extends DynamicAdmission {
  /** Until then nobody is asked: what a server writes to come up must not depend on what was stored before. */
  start(): void;
  stop(): void;
}

/** Throws when the kinds are not served. */
export function createDynamicAdmission(deps: AdmissionDeps): FollowedAdmission {
  const follow = <T>(resource: string, make: ConstructorParameters<typeof Followed<T>>[2]): Followed<T> => {
    const view = deps.resources.findStorage(ADMISSION_GROUP, resource);
    if (view === undefined) throw new Error(`${resource}.${ADMISSION_GROUP} are not served here`);
    const followed = new Followed(deps.store, view, make);
    followed.run(deps.onError).catch(deps.onError);
    return followed;
  };
  const sets: Sets = {
    mutatingPolicies: follow("mutatingadmissionpolicies", compileMutatingPolicy),
    mutatingBindings: follow("mutatingadmissionpolicybindings", readBinding),
    mutatingWebhooks: follow("mutatingwebhookconfigurations", readWebhooks),
    validatingPolicies: follow("validatingadmissionpolicies", compileValidatingPolicy),
    validatingBindings: follow("validatingadmissionpolicybindings", readBinding),
    validatingWebhooks: follow("validatingwebhookconfigurations", readWebhooks),
  };
  let started = false;
  return {
    start() {
      started = true;
    },
    mutate(attributes) {
      const { mutatingPolicies, mutatingBindings, mutatingWebhooks } = sets;
      const nobody = (mutatingPolicies.empty || mutatingBindings.empty) && mutatingWebhooks.empty;
      if (!started || nobody || isExempt(attributes.view.definition)) return undefined;
      return mutate(sets, attributes, deps);
    },
    validate(attributes) {
      const { validatingPolicies, validatingBindings, validatingWebhooks } = sets;
      const nobody = (validatingPolicies.empty || validatingBindings.empty) && validatingWebhooks.empty;
      if (started) demandParamAccess(attributes, deps);
      if (!started || nobody || isExempt(attributes.view.definition)) return undefined;
      return validate(sets, attributes, deps);
    },
    stop() {
      for (const set of Object.values(sets)) set.stop();
    },
  };
}

interface Sets {
  readonly mutatingPolicies: Followed<ReturnType<typeof compileMutatingPolicy>>;
  readonly mutatingBindings: Followed<ReturnType<typeof readBinding>>;
  readonly mutatingWebhooks: Followed<ReturnType<typeof readWebhooks>>;
  readonly validatingPolicies: Followed<ReturnType<typeof compileValidatingPolicy>>;
  readonly validatingBindings: Followed<ReturnType<typeof readBinding>>;
  readonly validatingWebhooks: Followed<ReturnType<typeof readWebhooks>>;
}

async function mutate(sets: Sets, attributes: AdmissionAttributes, deps: AdmissionDeps): Promise<void> {
  const request = new WriteRequest(attributes, deps);
  const asked = { policies: new Reinvocation(), webhooks: new Reinvocation() };
  const repeats = [false];
  for (const again of repeats) {
    const repeat = () => {
      if (repeats.length === 1) repeats.push(true);
    };
    const round: Round = { again, ...asked, repeat };
    const { mutatingPolicies, mutatingBindings, mutatingWebhooks } = sets;
    await runMutatingPolicies(mutatingPolicies.all, mutatingBindings.all, request, { deps, round });
    await callMutatingWebhooks(mutatingWebhooks.all.flat(), request, { deps, round });
  }
}

async function validate(sets: Sets, attributes: AdmissionAttributes, deps: AdmissionDeps): Promise<void> {
  const request = new WriteRequest(attributes, deps);
  const { validatingPolicies, validatingBindings, validatingWebhooks } = sets;
  await runValidatingPolicies(validatingPolicies.all, validatingBindings.all, request, deps);
  await callValidatingWebhooks(validatingWebhooks.all.flat(), request, deps);
}
