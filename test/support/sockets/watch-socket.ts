// A watch over WebSocket, with the client of the `ws` package: its messages in sequence, and how it ended.
import { WebSocket } from "ws";

export interface WatchSocketOptions {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Omitted: the server's own origin; undefined: none. */
  readonly origin?: string | undefined;
  readonly ca?: string;
  /** The protocol version, 13 by default. */
  readonly version?: number;
}

export interface WatchSocket extends AsyncDisposable {
  readonly socket: WebSocket;
  readonly protocol: string;
  /** All messages so far. */
  readonly messages: readonly { readonly data: Buffer; readonly isBinary: boolean }[];
  /** Resolves once so many messages have arrived. */
  reached(count: number): Promise<readonly string[]>;
  /** Resolves once a matching message has arrived. */
  reachedOne(isIt: (data: Buffer) => boolean): Promise<void>;
  /** The close code; 1006 when the connection broke. */
  readonly closed: Promise<number>;
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Returns the HTTP answer to a rejected handshake. */
export async function refusedWatchSocket(url: string, options?: WatchSocketOptions): Promise<Refusal> {
  let taken: WatchSocket;
  try {
    taken = await openWatchSocket(url, options);
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
  await taken[Symbol.asyncDispose]();
  throw new Error("the handshake was taken");
}

class Refused extends Error {
  readonly answer: Refusal;

  constructor(answer: Refusal) {
    super(`the handshake was refused with ${answer.status}: ${answer.body}`);
    this.answer = answer;
  }
}

export function openWatchSocket(url: string, options: WatchSocketOptions = {}): Promise<WatchSocket> {
  const { protocols = [], headers = {}, version } = options;
  const origin = "origin" in options ? options.origin : new URL(url).origin;
  const socket = new WebSocket(url.replace(/^http/, "ws"), protocols, {
    headers,
    ...(version === undefined ? {} : { protocolVersion: version }),
    ...(origin === undefined ? {} : { origin }),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  const messages: { data: Buffer; isBinary: boolean }[] = [];
  let onMessage = () => {};
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    messages.push({ data, isBinary });
    onMessage();
  });
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      onMessage = () => {
        if (holds()) resolve();
      };
      void closed.then((code) => reject(new Error(`closed with ${code} after ${messages.length} messages`)));
      onMessage();
    });
  const reached = async (count: number) => {
    await until(() => messages.length >= count);
    return messages.map(({ data }) => data.toString());
  };
  const reachedOne = (isIt: (data: Buffer) => boolean) =>
    until(() => messages.some(({ data }) => isIt(data)));
  const close = async () => {
    socket.terminate();
    await closed;
  };
  return new Promise((resolve, reject) => {
    socket.on("open", () => {
      const { protocol } = socket;
      resolve({ socket, protocol, messages, reached, reachedOne, closed, [Symbol.asyncDispose]: close });
    });
    socket.on("unexpected-response", (_request, response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => {
        reject(new Refused({ status: response.statusCode, headers: response.headers, body }));
        socket.terminate();
      });
    });
    socket.on("error", reject);
  });
}
