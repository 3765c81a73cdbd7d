// How large an object may be: what etcd takes, and what its client sends, in the words in which a real server passes their
// refusals on.
import { plainError, type StatusError } from "../status.ts";

/** etcd's --max-request-bytes. */
export const REQUEST_BYTES_MAX = 1_572_864;
/** What the client of a kube-apiserver sends at most. */
export const SENT_BYTES_MAX = 2 * 1024 * 1024;

const REFUSED = "etcdserver: request is too large";

export const requestTooLarge = (): StatusError => plainError(REFUSED);

export const tooLargeToSend = (bytes: number): StatusError =>
  plainError(
    `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${bytes} vs. ${SENT_BYTES_MAX})`,
  );
