// Groups below k8s.io and kubernetes.io belong to the Kubernetes project: a CRD in one of them must say where its API
// was approved, or that it was not (https://github.com/kubernetes/enhancements/pull/1111).

import { goQuote } from "../../../go/strconv.ts";
import { parseUrl } from "../../../go/url.ts";
import { type FieldError, invalid, required } from "../../../meta/field-error.ts";
import { objectAt, textOf } from "../../../meta/json.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";

const ANNOTATION = "api-approved.kubernetes.io";
const FIELD = `metadata.annotations[${ANNOTATION}]`;
const RULE = `protected groups must have approval annotation ${goQuote(ANNOTATION)}`;
const SEE = ", see https://github.com/kubernetes/enhancements/pull/1111";

export interface Approval {
  readonly state: "Approved" | "Unapproved" | "Missing" | "Invalid";
  readonly reason: string;
}

/** What a CRD says of its approval; undefined in groups that need none. */
export function approvalOf(crd: Readonly<KubeObject>): Approval | undefined {
  const group = textOf(objectAt(crd, "spec")?.["group"]);
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group) ? readApproval(crd) : undefined;
}

function readApproval({ metadata }: Readonly<KubeObject>): Approval {
  const text = metadata.annotations?.[ANNOTATION] ?? "";
  if (text === "") return { state: "Missing", reason: `${RULE}${SEE}` };
  if (text.startsWith("unapproved")) return { state: "Unapproved", reason: `not approved: ${goQuote(text)}` };
  const url = parseUrl(text);
  if (typeof url !== "string" && url.host !== "" && url.scheme !== "") {
    return { state: "Approved", reason: `approved in ${text}` };
  }
  return {
    state: "Invalid",
    reason: `${RULE} with either a URL or a reason starting with "unapproved"${SEE}`,
  };
}

/** A CRD that stays as it was in this respect is never refused for it. */
export function validateApproval(
  crd: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
): FieldError[] {
  const approval = approvalOf(crd);
  if (approval === undefined || (old && readApproval(old).state === approval.state)) return [];
  const { state, reason } = approval;
  if (state === "Missing") return [required(FIELD, reason)];
  return state === "Invalid" ? [invalid(FIELD, crd.metadata.annotations?.[ANNOTATION], reason)] : [];
}
