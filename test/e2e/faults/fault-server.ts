// A server in this process, and requests to it over real sockets, which may break.
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { createServer, type Server, type ServerOptions } from "../../../src/server/server.ts";

export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const USER_AGENT = "fault-test/1";

export interface Answer {
  /** 0: there was none. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Why it ended before its end; undefined when it did not. */
  readonly broken: string | undefined;
}

export interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const start = (options: Partial<ServerOptions> = {}): Promise<Server> =>
  createServer({
    listen: "127.0.0.1:0",
    inMemory: true,
    kubeconfig: undefined,
    logLevel: "silent",
    controllers: "",
    ...options,
  });

export function ask(
  { url }: Server,
  path: string,
  { method = "GET", body, headers }: Ask = {},
): Promise<Answer> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const options = {
    method,
    agent: false,
    headers: { "user-agent": USER_AGENT, "content-type": type, ...headers },
  };
  return new Promise((resolve) => {
    let answer: Answer = { status: 0, headers: {}, text: "", broken: undefined };
    const fail = (error: Error) => resolve({ ...answer, broken: error.message });
    const sent = request(new URL(path, url), options, (response) => {
      answer = { ...answer, status: response.statusCode ?? 0, headers: response.headers };
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        answer = { ...answer, text: answer.text + chunk };
      });
      response.on("end", () => resolve(answer));
      response.on("error", fail);
    });
    sent.on("error", fail);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export const json = ({ text }: Answer) => JSON.parse(text);

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});

export const create = (server: Server, name: string, data = {}): Promise<Answer> =>
  ask(server, CONFIG_MAPS, { method: "POST", body: configMap(name, data) });

/** A connection that sends a GET and notes what comes back, byte for byte. */
export class RawGet {
  readonly socket: Socket;
  text = "";
  /** The server has said that it sends nothing more. */
  ended = false;
  /** The code of the error that broke it. */
  error: string | undefined;
  closed = false;

  constructor({ url }: Server, path: string) {
    const { port, hostname, host } = new URL(url);
    this.socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    this.socket.setEncoding("utf8");
    this.socket.on("data", (chunk) => {
      this.text += chunk;
    });
    this.socket.on("end", () => {
      this.ended = true;
    });
    this.socket.on("error", (error: NodeJS.ErrnoException) => {
      this.error = error.code;
    });
    this.socket.on("close", () => {
      this.closed = true;
    });
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${USER_AGENT}\r\n\r\n`);
  }

  /** Whole lines of the body, which comes in chunks with their lengths before them. */
  get lines(): string[] {
    return this.text.split("\n").filter((line) => line.startsWith('{"type"'));
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
