// A watch as WebSocket: the events are the same bytes that a stream of HTTP has, each in a message. What the client sends
// is not looked at, save that it closes; its pings are answered.
import type { IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { ApiResponse } from "../../apiserver/api-request.ts";
import { PROTOBUF_TYPE } from "../../apiserver/protobuf/codec.ts";
import { createBodySink, type Outlet, UNREAD_BYTES_MAX } from "../streams.ts";
import { lengthMessages, lineMessages } from "./messages.ts";
import { endSoon, type Upgrade } from "./upgrades.ts";

/** Nothing is expected of clients. One that sends a longer message is cut off. */
const MESSAGE_BYTES_MAX = 64 * 1024;
const NORMAL_CLOSURE = 1000;

let server: WebSocketServer | undefined;

/** Nobody who watches by HTTP waits until the library is loaded. */
const theServer = (): WebSocketServer =>
  (server ??= new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MESSAGE_BYTES_MAX,
  }));

/** For a request whose handshake is in order. */
export function socketOutlet(
  request: IncomingMessage,
  { socket, head }: Upgrade,
  { headers }: ApiResponse,
): Outlet {
  let client: WebSocket | undefined;
  const isBinary = String(headers["content-type"]).startsWith(PROTOBUF_TYPE);
  const messages = isBinary ? lengthMessages : lineMessages;
  const write = messages((part, isLast) => client?.send(part, { binary: isBinary, fin: isLast }));
  return {
    open(gone) {
      if (socket.destroyed) gone();
      else socket.once("close", gone);
      theServer().handleUpgrade(request, socket, head, (begun) => {
        client = begun;
        begun.on("error", () => {}); // it closes then
        begun.on("close", gone);
        begun.on("ping", (data: Buffer) => {
          // Who asks and asks and never reads must not fill the memory with answers.
          if (socket.writableLength < UNREAD_BYTES_MAX) begun.pong(data);
        });
      });
      return createBodySink(socket, (chunk) => {
        socket.cork();
        write(chunk);
        socket.uncork();
      });
    },
    end() {
      client?.close(NORMAL_CLOSURE);
      endSoon(socket);
    },
    cut: () => socket.destroy(),
  };
}
