// The library has no types of its own; these cover what is used here.
declare module "ws" {
  import type { EventEmitter } from "node:events";
  import type { IncomingMessage } from "node:http";
  import type { Duplex } from "node:stream";

  export class WebSocket extends EventEmitter {
    constructor(
      url: string,
      protocols?: string | readonly string[],
      options?: {
        readonly origin?: string;
        readonly headers?: Readonly<Record<string, string>>;
        readonly ca?: string;
        readonly protocolVersion?: number;
      },
    );
    /** The negotiated subprotocol; "" is none. */
    readonly protocol: string;
    send(data: string | Uint8Array, options?: { readonly binary?: boolean; readonly fin?: boolean }): void;
    ping(data?: Uint8Array): void;
    pong(data?: Uint8Array): void;
    pause(): void;
    resume(): void;
    close(code?: number): void;
    terminate(): void;
  }

  export class WebSocketServer {
    constructor(options: {
      readonly noServer: true;
      readonly clientTracking: boolean;
      readonly perMessageDeflate: boolean;
      readonly autoPong: boolean;
      readonly maxPayload: number;
    });
    /** Calls `begun` synchronously, unless the client has disconnected. */
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      begun: (client: WebSocket) => void,
    ): void;
  }
}
