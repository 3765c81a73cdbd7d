// How long and how much the server waits for clients, and takes of them. Where a kube-apiserver has such a limit the value
// is its own: that of --request-timeout, those of its net/http server, and that of its HTTP/2 settings.

export interface HttpLimits {
  /** A request that is no watch and no call of the control surface is answered, and its answer read, in this time. */
  readonly requestMs: number;
  /** The headers of a request, or a TLS handshake, are there in this time. */
  readonly headersMs: number;
  /** So long may a connection stay open on which nothing is asked. */
  readonly idleMs: number;
  /** So long is read on, and thrown away, what a client sends after it was answered; then its connection is closed. */
  readonly lingerMs: number;
  readonly headerBytesMax: number;
  readonly bodyBytesMax: number;
  /** Of all bodies together that are being read. */
  readonly bodiesBytesMax: number;
  /** Requests at a time on one HTTP/2 connection. */
  readonly streamsPerConnectionMax: number;
}

const MEBIBYTE = 1024 * 1024;

export const HTTP_LIMITS: HttpLimits = {
  requestMs: 60_000,
  headersMs: 32_000,
  idleMs: 90_000,
  lingerMs: 1000,
  headerBytesMax: MEBIBYTE,
  bodyBytesMax: 3 * MEBIBYTE,
  bodiesBytesMax: 128 * MEBIBYTE,
  streamsPerConnectionMax: 100,
};
