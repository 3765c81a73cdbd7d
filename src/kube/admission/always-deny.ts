import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionPlugin } from "../../apiserver/registry/admission.ts";

/** Rejects all writes, connections and reviews, once policies and webhooks have seen them. */
export const createAlwaysDeny = (): AdmissionPlugin => ({
  name: "AlwaysDeny",
  seesUnstored: true,
  admitMutated(attributes) {
    throw refuse(attributes, "admission control is denying all modifications");
  },
});
