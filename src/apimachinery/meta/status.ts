// metav1.Status: the form of every error response. Errors are built only by the named constructors here; reasons, codes
// and texts are those of k8s.io/apimachinery/pkg/api/errors.
import { goQuote } from "../go/strconv.ts";
import { describeFieldError, FINDINGS_CHARS_MAX, type FieldError } from "./field-error.ts";
import { mapInSlices } from "./lists.ts";

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

/** The name of a resource in messages: "egressips.k8s.ovn.org", or just "pods" in the core group. */
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

/** An expected error for a client. Any other exception is a bug and becomes a 500. */
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
  details?: StatusDetails | undefined;
}

/** Builds an error from a Status; prefer a named constructor below. */
export function failure({ code, reason, message, details }: Failure, cause?: unknown): StatusError {
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message };
  if (reason !== undefined) status.reason = reason;
  if (details !== undefined) status.details = details;
  status.code = code;
  return new StatusError(status, cause === undefined ? undefined : { cause });
}

const CODES = {
  BadRequest: 400,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  Timeout: 504,
} as const;

function failed(
  reason: keyof typeof CODES,
  message: string,
  details?: StatusDetails,
  cause?: unknown,
): StatusError {
  return failure({ code: CODES[reason], reason, message, details }, cause);
}

const detailsOf = ({ group, resource }: GroupResource, name: string): StatusDetails => ({
  ...(name ? { name } : {}),
  ...(group ? { group } : {}),
  kind: resource,
});

const named = (resource: GroupResource, name: string): string =>
  `${describeResource(resource)} ${goQuote(name)}`;

const succeeded = { kind: "Status", apiVersion: "v1", status: "Success" } as const;

/** A success without an object to return. */
export const success = (code: number): Status => ({ ...succeeded, metadata: {}, code });

/** The response to a completed DELETE. */
export const deleted = (resource: GroupResource, name: string, uid: string): Status => ({
  ...succeeded,
  metadata: {},
  details: { ...detailsOf(resource, name), uid },
});

export const notFound = (resource: GroupResource, name: string): StatusError =>
  failed("NotFound", `${named(resource, name)} not found`, detailsOf(resource, name));

export const alreadyExists = (resource: GroupResource, name: string): StatusError =>
  failed("AlreadyExists", `${named(resource, name)} already exists`, detailsOf(resource, name));

export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${named(resource, name)}: ${why}`;
  return failed("Conflict", message, detailsOf(resource, name));
}

export const MODIFIED =
  "the object has been modified; please apply your changes to the latest version and try again";

export function forbidden(
  resource: GroupResource,
  name: string,
  why: string,
  causes?: StatusCause[],
): StatusError {
  const subject = name ? named(resource, name) : describeResource(resource);
  const details = { ...detailsOf(resource, name), ...(causes ? { causes } : {}) };
  return failed("Forbidden", `${subject} is forbidden: ${why}`, details);
}

/** 422 with a cause per finding. The message names the object by its kind: "EgressIP.k8s.ovn.org \"x\" is invalid". */
export function invalidObject(
  { group, kind }: GroupKind,
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const findings = findingsToTell(errors);
  const isCut = findings.length < errors.length;
  return invalidWith({ group, kind }, name, findings.map(describeFieldError), findings.map(causeOf), isCut);
}

/** As invalidObject, with yields to the event loop for very many findings. */
export async function invalidObjectInTurns(
  kind: GroupKind,
  name: string,
  errors: readonly FieldError[],
): Promise<StatusError> {
  const findings = findingsToTell(errors);
  const texts = await mapInSlices(findings, describeFieldError);
  const causes = await mapInSlices(findings, causeOf);
  return invalidWith(kind, name, texts, causes, findings.length < errors.length);
}

const causeOf = ({ reason, message, field }: FieldError): StatusCause => ({
  reason,
  message,
  field: field === "" ? "<nil>" : field,
});

function invalidWith(
  { group, kind }: GroupKind,
  name: string,
  texts: readonly string[],
  causes: StatusCause[],
  isCut: boolean,
): StatusError {
  const shown = [...new Set(texts)];
  if (isCut) shown.push("and more");
  const told = shown.length === 1 ? shown[0] : `[${shown.join(", ")}]`;
  const details = {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(kind ? { kind } : {}),
    causes,
  };
  return failed("Invalid", `${named({ group, resource: kind }, name)} is invalid: ${told}`, details);
}

function findingsToTell(errors: readonly FieldError[]): readonly FieldError[] {
  let chars = 0;
  const end = errors.findIndex(({ field, message }, index) => {
    chars += field.length + message.length;
    return index > 0 && chars > FINDINGS_CHARS_MAX;
  });
  return end < 0 ? errors : errors.slice(0, end);
}

export const badRequest = (message: string): StatusError => failed("BadRequest", message);

/** 500 without a reason: an error that a Go server passes on unchanged. */
export const plainError = (message: string): StatusError => failure({ code: 500, message });

export const internalServerError = (message: string, cause?: unknown): StatusError =>
  failed("InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] }, cause);

export const resourceExpired = (message: string, cause?: unknown): StatusError =>
  failed("Expired", message, undefined, cause);

export function methodNotSupported(resource: GroupResource, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind "${describeResource(resource)}"`;
  return failed("MethodNotAllowed", message, detailsOf(resource, ""));
}

/** The error of an unknown route: any path below a known group or the core API. */
export const pathNotFound = (): StatusError =>
  failed("NotFound", "the server could not find the requested resource", {});

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  failed("NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);

export const unsupportedMediaType = (message: string): StatusError => failed("UnsupportedMediaType", message);

export const entityTooLarge = (message: string): StatusError => failed("RequestEntityTooLarge", message);

export const bodyTooLarge = (bytesMax: number): StatusError =>
  entityTooLarge(`Request entity too large: limit is ${bytesMax}`);

/** With the seconds after which the client may retry; 0: unspecified. */
const comeAgain =
  (reason: "TooManyRequests" | "Timeout") =>
  (message: string, retryAfterSeconds: number, causes?: StatusCause[]): StatusError =>
    failed(reason, message, {
      ...(causes ? { causes } : {}),
      ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
    });

/** 429 */
export const tooManyRequests = comeAgain("TooManyRequests");

/** 504 */
export const timeout = comeAgain("Timeout");

// Limit of the size of an object: what etcd accepts and what its client sends, with the messages that a real server
// passes on.

/** Default of etcd's --max-request-bytes. */
export const REQUEST_BYTES_MAX = 1_572_864;
/** etcd's gRPC server rejects requests that exceed the limit by more than this. */
export const RECEIVED_BYTES_MORE = 512 * 1024;
/** Limit of the etcd client of a kube-apiserver. */
export const SENT_BYTES_MAX = 2 * 1024 * 1024;

const REFUSED = "etcdserver: request is too large";
const EXHAUSTED = "rpc error: code = ResourceExhausted desc =";

export const requestTooLarge = (): StatusError => plainError(REFUSED);

export const tooLargeToSend = (bytes: number): StatusError =>
  plainError(`${EXHAUSTED} trying to send message larger than max (${bytes} vs. ${SENT_BYTES_MAX})`);

export const tooLargeToReceive = (bytes: number, requestBytesMax: number): StatusError => {
  const max = requestBytesMax + RECEIVED_BYTES_MORE;
  return plainError(`${EXHAUSTED} grpc: received message larger than max (${bytes} vs. ${max})`);
};
