// Errors between a store and etcd, in the words that a kube-apiserver answers with: etcd's own text, or Go's text of
// the failed call. A call may be retried depending on whether it can already have been executed.
import type { ServiceError } from "@grpc/grpc-js";
import { StoreError } from "../store.ts";

/** Codes of gRPC by number, with the names that Go prints. */
const CODE_NAMES: Readonly<Record<number, string>> = {
  1: "Canceled",
  2: "Unknown",
  3: "InvalidArgument",
  4: "DeadlineExceeded",
  5: "NotFound",
  7: "PermissionDenied",
  8: "ResourceExhausted",
  9: "FailedPrecondition",
  10: "Aborted",
  11: "OutOfRange",
  12: "Unimplemented",
  13: "Internal",
  14: "Unavailable",
  16: "Unauthenticated",
};

const OK = "OK";
const UNKNOWN = "Unknown";

const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;

const SERVERS_OWN = "etcdserver: ";
/** The leader did not accept the proposal: nothing was written. */
const NOT_DONE = ["etcdserver: leader changed", "etcdserver: no leader", "raft proposal dropped"];
/** The write may have been executed; retrying a read is safe. */
const UNCERTAIN = ["etcdserver: request timed out", "etcdserver: server stopped"];
/** The token has expired, the member that issued it has lost it, or the users have changed since. */
const TOKEN_ENDED = ["etcdserver: invalid auth token", "etcdserver: revision of auth store is old"];
const LEASE_LOST = "etcdserver: requested lease not found";
const COMPACTED = "etcdserver: mvcc: required revision has been compacted";
const FUTURE = "etcdserver: mvcc: required revision is a future revision";

/** Narrows an error to the failure of a gRPC call. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number" && "details" in error;
}

const detailsOf = (error: unknown): string => (isServiceError(error) ? error.details : "");

export const isCompacted = (error: unknown): boolean => detailsOf(error) === COMPACTED;
export const isFutureRevision = (error: unknown): boolean => detailsOf(error) === FUTURE;
export const isTokenEnded = (error: unknown): boolean => TOKEN_ENDED.includes(detailsOf(error));

/** Matches the reason within the gRPC library's message about a missing connection. */
const NOT_CONNECTED =
  /^No connection established\. Last error: (?:\w*Error(?: \[\w+\])?: )?(.*?)\s*(?:\([^()]*Z\))?\. Resolution note:/s;
/** Matches the reason within OpenSSL's message. */
const OPENSSL = /:SSL routines:[^:]*:([^:]+):/;
const REFUSED_CERTIFICATE = /alert .*certificate/;
/** The library reports no other reason when a connection ends before its first byte. */
const ENDED = "Failed to connect";
const LASTING = /certificate|altnames|TLS|SSL/;

/** The only reason known after a timeout. A reason that was reported earlier is preferred. */
export const NO_ANSWER = "it does not answer";

export interface ConnectionProblem {
  readonly why: string;
  /** Retrying cannot help, as with certificate errors. */
  readonly isLasting: boolean;
}

/** Returns why a call reached no member; undefined: it reached one. */
export function connectionProblem(error: unknown): ConnectionProblem | undefined {
  if (!isServiceError(error) || error.details.startsWith(SERVERS_OWN)) return undefined;
  if (error.code === DEADLINE_EXCEEDED) return { why: NO_ANSWER, isLasting: true };
  if (error.code !== UNAVAILABLE) return undefined;
  const told = NOT_CONNECTED.exec(error.details)?.[1] ?? error.details;
  const reason = OPENSSL.exec(told)?.[1] ?? told;
  const isLasting = LASTING.test(told);
  if (REFUSED_CERTIFICATE.test(reason))
    return { why: `${reason}: it wants a client certificate of an authority that it trusts`, isLasting };
  if (reason === ENDED) return { why: "it ends the connection: does it want TLS?", isLasting };
  return { why: reason, isLasting };
}

/** The write was not executed because its lease has expired. */
export const isLeaseLost = (error: unknown): boolean =>
  error instanceof StoreError && error.message === LEASE_LOST;

/** Whether a call may be retried: a write only if it cannot have been executed. */
export function mayTryAgain(error: unknown, isWrite: boolean): boolean {
  if (!isServiceError(error)) return false;
  const { details } = error;
  if (NOT_DONE.some((text) => details.endsWith(text))) return true;
  if (isWrite) return false;
  return error.code === UNAVAILABLE || UNCERTAIN.some((text) => details.startsWith(text));
}

/** Name of the gRPC status code; `null` (no error) has one, too. */
export function codeName(error: unknown): string {
  if (error === null) return OK;
  return (isServiceError(error) && CODE_NAMES[error.code]) || UNKNOWN;
}

/** The error kinds by which a kube-apiserver counts retries. */
const KINDS: readonly (readonly [text: string, kind: string])[] = [
  ["etcdserver: leader changed", "LeaderChanged"],
  ["etcdserver: no leader", "NoLeader"],
  ["raft proposal dropped", "ProposalDropped"],
  ["etcdserver: request timed out", "Timeout"],
  ["etcdserver: server stopped", "Stopped"],
];

export function errorKind(error: unknown): string {
  const details = detailsOf(error);
  return KINDS.find(([text]) => details.includes(text))?.[1] ?? "Unavailable";
}

/** Maps a gRPC error to the StoreError for the caller of the store. */
export function storeErrorOf(error: unknown): unknown {
  if (!isServiceError(error)) return error;
  if (isCompacted(error)) return new StoreError("COMPACTED", error.details, { cause: error });
  if (isFutureRevision(error)) return new StoreError("FUTURE_REVISION", error.details, { cause: error });
  if (error.code === DEADLINE_EXCEEDED)
    return new StoreError("TIMEOUT", "context deadline exceeded", { cause: error });
  const message = error.details.startsWith(SERVERS_OWN)
    ? error.details
    : `rpc error: code = ${CODE_NAMES[error.code] ?? error.code} desc = ${error.details}`;
  return new StoreError("REFUSED", message, { cause: error });
}
