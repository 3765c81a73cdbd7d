// How large an object may be: what etcd takes, and what its client sends, in the words in which a real server passes their
// refusals on.
import { plainError, type StatusError } from "./status.ts";

/** etcd's --max-request-bytes, when nobody says it. */
export const REQUEST_BYTES_MAX = 1_572_864;
/** A request of so many bytes more is refused by etcd's gRPC already. */
export const RECEIVED_BYTES_MORE = 512 * 1024;
/** What the client of a kube-apiserver sends at most. */
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
