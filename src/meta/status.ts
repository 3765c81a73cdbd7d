// metav1.Status: the one form in which every failure leaves the server. Errors are built only by the named
// constructors here; reasons, codes and texts are those of k8s.io/apimachinery/pkg/api/errors.

import { goQuote } from "../go/quote.ts";
import { describeFieldError, FINDINGS_CHARS_MAX, type FieldError } from "./field-error.ts";

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: Record<string, unknown>;
  status: "Success" | "Failure";
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/** What a resource is called in messages: "egressips.k8s.ovn.org", or just "pods" in the core group. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

export function describeResource({ group, resource }: GroupResource): string {
  return group ? `${resource}.${group}` : resource;
}

/** An expected outcome for a client. Anything else that is thrown is our own mistake and becomes a 500. */
export class StatusError extends Error {
  readonly status: Status;
  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? "", options);
    this.name = "StatusError";
    this.status = status;
  }
  get code(): number {
    return this.status.code ?? 500;
  }
  get reason(): string {
    return this.status.reason ?? "";
  }
}

interface Failure {
  code: number;
  reason?: string;
  message: string;
  details?: StatusDetails;
}

/** Any failure in the form of a Status; prefer a named constructor below. */
export function failure({ code, reason, message, details }: Failure, cause?: unknown): StatusError {
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message };
  if (reason !== undefined) status.reason = reason;
  if (details !== undefined) status.details = details;
  status.code = code;
  return new StatusError(status, cause === undefined ? undefined : { cause });
}

const resourceDetails = (resource: GroupResource, name: string): StatusDetails => ({
  ...(name ? { name } : {}),
  ...(resource.group ? { group: resource.group } : {}),
  kind: resource.resource,
});

/** What was asked is done, and there is nothing to show. */
export const success = (code: number): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code,
});

/** The answer to a finished DELETE. */
export function deleted(resource: GroupResource, name: string, uid: string): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { ...resourceDetails(resource, name), uid },
  };
}

export const notFound = (resource: GroupResource, name: string): StatusError =>
  failure({
    code: 404,
    reason: "NotFound",
    message: `${describeResource(resource)} ${goQuote(name)} not found`,
    details: resourceDetails(resource, name),
  });

export const alreadyExists = (resource: GroupResource, name: string): StatusError =>
  failure({
    code: 409,
    reason: "AlreadyExists",
    message: `${describeResource(resource)} ${goQuote(name)} already exists`,
    details: resourceDetails(resource, name),
  });

export const conflict = (resource: GroupResource, name: string, why: string): StatusError =>
  failure({
    code: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${describeResource(resource)} ${goQuote(name)}: ${why}`,
    details: resourceDetails(resource, name),
  });

export const MODIFIED =
  "the object has been modified; please apply your changes to the latest version and try again";

export function forbidden(
  resource: GroupResource,
  name: string,
  why: string,
  causes?: StatusCause[],
): StatusError {
  const subject = name ? `${describeResource(resource)} ${goQuote(name)}` : describeResource(resource);
  return failure({
    code: 403,
    reason: "Forbidden",
    message: `${subject} is forbidden: ${why}`,
    details: { ...resourceDetails(resource, name), ...(causes ? { causes } : {}) },
  });
}

/** 422 with a cause per finding. The kind stands for the object: "EgressIP.k8s.ovn.org \"x\" is invalid". */
export function invalidObject(
  { group, kind }: GroupKind,
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const told = findingsToTell(errors);
  const shown = [...new Set(told.map(describeFieldError))];
  if (told.length < errors.length) shown.push("and more");
  const causes = told.map(({ reason, message, field }) => ({
    reason,
    message,
    field: field === "" ? "<nil>" : field,
  }));
  const subject = group ? `${kind}.${group}` : kind;
  return failure({
    code: 422,
    reason: "Invalid",
    message: `${subject} ${goQuote(name)} is invalid: ${shown.length === 1 ? shown[0] : `[${shown.join(", ")}]`}`,
    details: { ...(name ? { name } : {}), ...(group ? { group } : {}), ...(kind ? { kind } : {}), causes },
  });
}

function findingsToTell(errors: readonly FieldError[]): readonly FieldError[] {
  let chars = 0;
  const end = errors.findIndex(({ field, message }, index) => {
    chars += field.length + message.length;
    return index > 0 && chars > FINDINGS_CHARS_MAX;
  });
  return end < 0 ? errors : errors.slice(0, end);
}

export const badRequest = (message: string): StatusError =>
  failure({ code: 400, reason: "BadRequest", message });

/** 500 without a reason: an error that a Go server passes on as it is. */
export const plainError = (message: string): StatusError => failure({ code: 500, message });

export const internalServerError = (message: string, cause?: unknown): StatusError =>
  failure(
    {
      code: 500,
      reason: "InternalError",
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    },
    cause,
  );

export const resourceExpired = (message: string, cause?: unknown): StatusError =>
  failure({ code: 410, reason: "Expired", message }, cause);

export const methodNotSupported = (resource: GroupResource, verb: string): StatusError =>
  failure({
    code: 405,
    reason: "MethodNotAllowed",
    message: `${verb} is not supported on resources of kind "${describeResource(resource)}"`,
    details: resourceDetails(resource, ""),
  });

/** The text of a route that does not exist: any path below a known group or the core API. */
export const pathNotFound = (): StatusError =>
  failure({
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
    details: {},
  });

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  failure({
    code: 406,
    reason: "NotAcceptable",
    message: `only the following media types are accepted: ${accepted.join(", ")}`,
  });

export const unsupportedMediaType = (message: string): StatusError =>
  failure({ code: 415, reason: "UnsupportedMediaType", message });

export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure({ code: 429, reason: "TooManyRequests", message, details: { retryAfterSeconds } });

export const entityTooLarge = (message: string): StatusError =>
  failure({ code: 413, reason: "RequestEntityTooLarge", message });

/** 504 with the seconds after which to come again. */
export const timeout = (message: string, retryAfterSeconds: number, causes?: StatusCause[]): StatusError =>
  failure({
    code: 504,
    reason: "Timeout",
    message,
    details: { ...(causes ? { causes } : {}), ...(retryAfterSeconds ? { retryAfterSeconds } : {}) },
  });
