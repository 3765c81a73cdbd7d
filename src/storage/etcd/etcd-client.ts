// gRPC client of etcd's API. It keeps one connection to one member and reconnects to another member when it is lost.
// The gRPC library waits for a connection until the deadline of the call. The retry policy of failed calls is that of a
// kube-apiserver.
import * as grpc from "@grpc/grpc-js";
import { elapsedMs, systemClock } from "../../apimachinery/meta/clock.ts";
import { ClientMetrics } from "../client-metrics.ts";
import { StoreError } from "../store.ts";
import {
  codeName,
  connectionProblem,
  errorKind,
  isTokenEnded,
  mayTryAgain,
  NO_ANSWER,
  storeErrorOf,
} from "./etcd-errors.ts";
import { identityOf, targetOf } from "./members.ts";
import {
  decodeLeaseGrant,
  decodeRange,
  decodeRevision,
  decodeSize,
  decodeToken,
  decodeTxn,
  decodeWatch,
  encodeAuthenticate,
  encodeCompaction,
  encodeLeaseGrant,
  encodeRange,
  encodeStatus,
  encodeTxn,
  encodeWatch,
  type Lease,
  type RangeRequest,
  type RangeResponse,
  type TxnRequest,
  type TxnResponse,
  type WatchRequest,
  type WatchResponse,
} from "./messages.ts";

export interface EtcdTls {
  /** PEM. Default: the CAs of the system. */
  readonly ca?: Buffer | undefined;
  /** PEM, both or none. */
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

export interface EtcdClientOptions {
  /** host:port of each member. */
  readonly endpoints: readonly string[];
  /** Left out: not encrypted. */
  readonly tls?: EtcdTls | undefined;
  readonly login?: { readonly user: string; readonly password: string } | undefined;
  /** Timeout of one call, its retries included. */
  readonly timeoutMs?: number;
}

const CALL_TIMEOUT_MS = 60_000;
/** Pauses before retries, as in a kube-apiserver. */
const PAUSES_MS = [300, 600, 1200, 2400, 4800];
/** As in etcd's client library, which does not limit the size of received messages. */
const SENT_BYTES_MAX = 2 * 1024 * 1024;
const KEEP_ALIVE_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
const RECONNECT_MS_MAX = 3000;
const CONNECT_PAUSE_MS = 100;
/** A key that etcd never holds. */
export const NO_KEY = "\0egret";

const CHANNEL_OPTIONS: grpc.ChannelOptions = {
  "grpc.keepalive_time_ms": KEEP_ALIVE_MS,
  "grpc.keepalive_timeout_ms": KEEP_ALIVE_TIMEOUT_MS,
  // Members are reached by their configured names; kube-apiservers on the same machine do not use a proxy either.
  "grpc.enable_http_proxy": 0,
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": SENT_BYTES_MAX,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": RECONNECT_MS_MAX,
  "grpc.service_config": JSON.stringify({
    loadBalancingConfig: [{ pick_first: { shuffleAddressList: true } }],
  }),
};

/** Ends with an error or by close(). After close() the listener gets no further calls. */
export interface WatchCall {
  send(request: WatchRequest): void;
  close(): void;
}

export interface WatchListener {
  answered(response: WatchResponse): void;
  /** The stream has ended. Not called after close(). */
  ended(error: unknown): void;
}

interface Method<Request, Response> {
  readonly path: string;
  readonly isWrite: boolean;
  /** Default: the timeout of the client. */
  readonly timeoutMs?: number;
  encode(request: Request): Buffer;
  decode(bytes: Buffer): Response;
}

const RANGE: Method<RangeRequest, RangeResponse> = {
  path: "/etcdserverpb.KV/Range",
  isWrite: false,
  encode: encodeRange,
  decode: decodeRange,
};
const TXN: Method<TxnRequest, TxnResponse> = {
  path: "/etcdserverpb.KV/Txn",
  isWrite: true,
  encode: encodeTxn,
  decode: decodeTxn,
};
const COMPACT: Method<number, number> = {
  path: "/etcdserverpb.KV/Compact",
  isWrite: true,
  encode: encodeCompaction,
  decode: decodeRevision,
};
const LEASE_GRANT: Method<number, Lease> = {
  path: "/etcdserverpb.Lease/LeaseGrant",
  isWrite: true,
  encode: encodeLeaseGrant,
  decode: decodeLeaseGrant,
};
const AUTHENTICATE: Method<{ readonly user: string; readonly password: string }, string> = {
  path: "/etcdserverpb.Auth/Authenticate",
  isWrite: false,
  encode: encodeAuthenticate,
  decode: decodeToken,
};
/** With a timeout of its own of 1 s: a late answer is of no use. */
const STATUS: Method<void, number> = {
  path: "/etcdserverpb.Maintenance/Status",
  isWrite: false,
  timeoutMs: 1000,
  encode: encodeStatus,
  decode: decodeSize,
};
const WATCH_PATH = "/etcdserverpb.Watch/Watch";

export class EtcdClient {
  readonly #options: EtcdClientOptions;
  readonly #client: grpc.Client;
  #token: Token | undefined;
  readonly metrics = new ClientMetrics();

  constructor(options: EtcdClientOptions) {
    this.#options = options;
    const { tls, endpoints } = options;
    const { verify, channel } = identityOf(endpoints);
    const credentials = tls
      ? grpc.credentials.createSsl(tls.ca ?? null, tls.key ?? null, tls.cert ?? null, verify)
      : grpc.credentials.createInsecure();
    const channelOptions = tls ? { ...CHANNEL_OPTIONS, ...channel } : CHANNEL_OPTIONS;
    this.#client = new grpc.Client(targetOf(endpoints), credentials, channelOptions);
  }

  /** The members, for messages. */
  get location(): string {
    return `etcd at ${this.#options.endpoints.join(",")}`;
  }

  range = (request: RangeRequest): Promise<RangeResponse> => this.#call(RANGE, request);
  txn = (request: TxnRequest): Promise<TxnResponse> => this.#call(TXN, request);
  compact = (revision: number): Promise<number> => this.#call(COMPACT, revision);
  /** Size of the database of the connected member. */
  sizeBytes = (): Promise<number> => this.#call(STATUS, undefined);
  grantLease = (ttlSeconds: number): Promise<Lease> => this.#call(LEASE_GRANT, ttlSeconds);

  /**
   * Resolves as soon as a member answers, whatever the answer is. Rejects with the reason why none answers: at once if
   * retrying cannot help, otherwise when the timeout of a call is over. Until then `waits` is called for each new
   * reason.
   */
  async connect(waits: (why: StoreError) => void): Promise<void> {
    const deadline = this.#deadline();
    for (let told = ""; ; ) {
      const problem = await this.#once(RANGE, { key: NO_KEY, limit: 1 }, new grpc.Metadata(), deadline).then(
        () => undefined,
        connectionProblem,
      );
      if (problem === undefined) return;
      const { isLasting } = problem;
      const why = problem.why === NO_ANSWER && told !== "" ? told : problem.why;
      const error = new StoreError("REFUSED", why);
      if (isLasting || elapsedMs() + CONNECT_PAUSE_MS >= deadline) throw error;
      if (why !== told) waits(error);
      told = why;
      await systemClock.sleep(CONNECT_PAUSE_MS);
    }
  }

  /** Opens a watch stream. etcd ends it when the member that serves it has no leader. */
  async watch(listener: WatchListener): Promise<WatchCall> {
    const token = this.#authenticated();
    const metadata = metadataOf(await token);
    metadata.set("hasleader", "true");
    const call = this.#client.makeBidiStreamRequest(WATCH_PATH, encodeWatch, decodeWatch, metadata, {});
    const metrics = this.metrics.call(WATCH_PATH, "bidi_stream");
    metrics.started++;
    let isOver = false;
    const end = (error: unknown): void => {
      if (isOver) return;
      isOver = true;
      metrics.ended(codeName(error));
      if (isTokenEnded(error)) this.#forget(token);
      listener.ended(error);
    };
    call.on("data", (response: WatchResponse) => {
      metrics.received++;
      // etcd reports an unknown auth token by canceling the watch. Some versions report it as missing permission.
      if (response.canceled && response.compactRevision === 0) this.#forget(token);
      if (!isOver) listener.answered(response);
    });
    call.on("error", end);
    call.on("end", () => end(new Error("etcd has ended the watch")));
    return {
      send: (request) => {
        metrics.sent++;
        call.write(request);
      },
      close: () => {
        isOver = true;
        call.cancel();
      },
    };
  }

  close(): void {
    this.#client.close();
  }

  /** Rejects with a StoreError. */
  async #call<Request, Response>(method: Method<Request, Response>, request: Request): Promise<Response> {
    const deadline = this.#deadline(method.timeoutMs);
    for (let tried = 0; ; tried++) {
      const token = this.#authenticated();
      try {
        return await this.#once(method, request, metadataOf(await token), deadline);
      } catch (error) {
        const isNew = isTokenEnded(error) && tried === 0; // etcd has not processed the call
        if (isTokenEnded(error)) this.#forget(token);
        const pause = PAUSES_MS[tried];
        if (!isNew && (pause === undefined || !mayTryAgain(error, method.isWrite))) throw storeErrorOf(error);
        if (isNew || pause === undefined) continue;
        this.metrics.retried(errorKind(error));
        await systemClock.sleep(pause);
      }
    }
  }

  #once<Request, Response>(
    { path, encode, decode }: Method<Request, Response>,
    request: Request,
    metadata: grpc.Metadata,
    deadline: number,
  ): Promise<Response> {
    const metrics = this.metrics.call(path);
    metrics.started++;
    metrics.sent++;
    return new Promise((resolve, reject) => {
      const options = { deadline: systemClock.now() + deadline - elapsedMs() };
      const answered = (error: grpc.ServiceError | null, response?: Response): void => {
        metrics.ended(codeName(error));
        if (response !== undefined) metrics.received++;
        if (error !== null) reject(error);
        else if (response === undefined) reject(new TypeError(`${path} was answered with nothing`));
        else resolve(response);
      };
      withoutStack(() =>
        this.#client.makeUnaryRequest(path, encode, decode, request, metadata, options, answered),
      );
    });
  }

  /** Deadline of a call that starts now, on the elapsedMs() clock. */
  #deadline(timeoutMs = this.#options.timeoutMs ?? CALL_TIMEOUT_MS): number {
    return elapsedMs() + timeoutMs;
  }

  /** The auth token of the configured user; undefined: no user is configured. */
  #authenticated(): Token | undefined {
    const { login } = this.#options;
    if (login === undefined) return undefined;
    if (this.#token !== undefined) return this.#token;
    const token = this.#once(AUTHENTICATE, login, metadataOf(), this.#deadline());
    this.#token = token;
    token.catch(() => this.#forget(token));
    return token;
  }

  /** Keeps a token that is newer. */
  #forget(token: Token | undefined): void {
    if (this.#token === token) this.#token = undefined;
  }
}

/** The gRPC library captures a stack trace per call, in case of an error: 30 µs in a profile. Nothing here reads it. */
function withoutStack(call: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    call();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

type Token = Promise<string>;

function metadataOf(token?: string): grpc.Metadata {
  const metadata = new grpc.Metadata({ waitForReady: true });
  if (token !== undefined) metadata.set("token", token);
  return metadata;
}

/** etcd's current revision, by a linearizable read. Rejects with a StoreError. */
export async function newestRevision(client: Pick<EtcdClient, "range">): Promise<number> {
  const { revision } = await client.range({ key: NO_KEY, limit: 1 });
  return revision;
}
