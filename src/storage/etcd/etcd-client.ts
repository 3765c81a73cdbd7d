// Calls of etcd's API over gRPC: one connection to one of the members, another one when it is lost. The library waits for a
// connection until a call's deadline; what may be tried again after a failure is tried as a kube-apiserver does.
import * as grpc from "@grpc/grpc-js";
import { systemClock } from "../../meta/clock.ts";
import { ClientFigures } from "../client-figures.ts";
import { codeName, errorKind, isTokenEnded, mayTryAgain, storeErrorOf } from "./etcd-errors.ts";
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
  /** PEM. Left out: the system's authorities. */
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
  /** Of one call, with all that is tried again. */
  readonly timeoutMs?: number;
}

const CALL_TIMEOUT_MS = 60_000;
/** As long as a kube-apiserver waits before it tries again. */
const PAUSES_MS = [300, 600, 1200, 2400, 4800];
/** Of its client library, which has no limit for what it takes in. */
const SENT_BYTES_MAX = 2 * 1024 * 1024;
const KEEP_ALIVE_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
const RECONNECT_MS_MAX = 3000;

const CHANNEL_OPTIONS: grpc.ChannelOptions = {
  "grpc.keepalive_time_ms": KEEP_ALIVE_MS,
  "grpc.keepalive_timeout_ms": KEEP_ALIVE_TIMEOUT_MS,
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": SENT_BYTES_MAX,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": RECONNECT_MS_MAX,
  "grpc.service_config": JSON.stringify({
    loadBalancingConfig: [{ pick_first: { shuffleAddressList: true } }],
  }),
};

/** Ends with an error, or by close(); afterwards it says nothing more. */
export interface WatchCall {
  send(request: WatchRequest): void;
  close(): void;
}

export interface WatchListener {
  answered(response: WatchResponse): void;
  /** The stream is over, of which nobody has been told by close(). */
  ended(error: unknown): void;
}

interface Method<Request, Response> {
  readonly path: string;
  readonly isWrite: boolean;
  /** Left out: that of the client. */
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
/** Of interest only if it is told at once. */
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
  #token: Promise<string> | undefined;
  readonly figures = new ClientFigures();

  constructor(options: EtcdClientOptions) {
    this.#options = options;
    const { tls, endpoints } = options;
    const credentials = tls
      ? grpc.credentials.createSsl(tls.ca ?? null, tls.key ?? null, tls.cert ?? null)
      : grpc.credentials.createInsecure();
    this.#client = new grpc.Client(targetOf(endpoints), credentials, CHANNEL_OPTIONS);
  }

  /** The members, for messages. */
  get location(): string {
    return `etcd at ${this.#options.endpoints.join(",")}`;
  }

  range = (request: RangeRequest): Promise<RangeResponse> => this.#call(RANGE, request);
  txn = (request: TxnRequest): Promise<TxnResponse> => this.#call(TXN, request);
  compact = (revision: number): Promise<number> => this.#call(COMPACT, revision);
  /** Of the database of the member that is connected. */
  sizeBytes = (): Promise<number> => this.#call(STATUS, undefined);
  grantLease = (ttlSeconds: number): Promise<Lease> => this.#call(LEASE_GRANT, ttlSeconds);

  /** A stream of changes; etcd ends it when the member it comes from has no leader. */
  async watch(listener: WatchListener): Promise<WatchCall> {
    const metadata = await this.#metadata();
    metadata.set("hasleader", "true");
    const call = this.#client.makeBidiStreamRequest(WATCH_PATH, encodeWatch, decodeWatch, metadata, {});
    const figures = this.figures.call(WATCH_PATH, "bidi_stream");
    figures.started++;
    let isOver = false;
    const end = (error: unknown): void => {
      if (isOver) return;
      isOver = true;
      figures.ended(codeName(error));
      if (isTokenEnded(error)) this.#token = undefined;
      listener.ended(error);
    };
    call.on("data", (response: WatchResponse) => {
      figures.received++;
      if (!isOver) listener.answered(response);
    });
    call.on("error", end);
    call.on("end", () => end(new Error("etcd has ended the watch")));
    return {
      send: (request) => {
        figures.sent++;
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
    const timeoutMs = method.timeoutMs ?? this.#options.timeoutMs ?? CALL_TIMEOUT_MS;
    const deadline = systemClock.now() + timeoutMs; // of the machine's time, whatever a clock of the server says
    for (let tried = 0; ; tried++) {
      try {
        return await this.#once(method, request, await this.#metadata(), deadline);
      } catch (error) {
        const isNew = isTokenEnded(error) && tried === 0; // it was not looked at
        if (isTokenEnded(error)) this.#token = undefined;
        const pause = PAUSES_MS[tried];
        if (!isNew && (pause === undefined || !mayTryAgain(error, method.isWrite))) throw storeErrorOf(error);
        if (isNew || pause === undefined) continue;
        this.figures.retried(errorKind(error));
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
    const figures = this.figures.call(path);
    figures.started++;
    figures.sent++;
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        path,
        encode,
        decode,
        request,
        metadata,
        { deadline },
        (error, response) => {
          figures.ended(codeName(error));
          if (response !== undefined) figures.received++;
          if (error !== null) reject(error);
          else if (response === undefined) reject(new TypeError(`${path} was answered with nothing`));
          else resolve(response);
        },
      );
    });
  }

  async #metadata(): Promise<grpc.Metadata> {
    const metadata = new grpc.Metadata({ waitForReady: true });
    const { login, timeoutMs = CALL_TIMEOUT_MS } = this.#options;
    if (login === undefined) return metadata;
    this.#token ??= this.#once(
      AUTHENTICATE,
      login,
      new grpc.Metadata({ waitForReady: true }),
      systemClock.now() + timeoutMs,
    );
    try {
      metadata.set("token", await this.#token);
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
    return metadata;
  }
}

/** All members behind one name, of which the library takes one that answers. */
function targetOf(endpoints: readonly string[]): string {
  const [first = ""] = endpoints;
  return endpoints.length === 1 ? `dns:///${first}` : `ipv4:${endpoints.join(",")}`;
}
