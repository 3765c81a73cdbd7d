// Sends raw bytes over a socket, for requests that no HTTP client sends, and reads the answer to its end.
import { connect } from "node:net";

const ANSWER_MS_MAX = 10_000;

export interface RawAnswer {
  /** 0: the connection was closed without an answer. */
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

export function sendRaw(url: string, text: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.setEncoding("utf8");
    socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy(new Error("no answer in time")));
    socket.on("data", (chunk) => (received += chunk));
    socket.on("error", (error) => (received === "" ? reject(error) : undefined));
    socket.on("close", () => {
      const [headers = "", ...body] = received.split("\r\n\r\n");
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1] ?? 0);
      resolve({ status, headers, body: body.join("\r\n\r\n") });
    });
    socket.write(text);
  });
}

/** A GET of exactly this path; the connection closes after the answer. */
export function getRaw(url: string, path: string, headers: readonly string[] = []): Promise<RawAnswer> {
  const { host } = new URL(url);
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, "Connection: close", ...headers, "", ""];
  return sendRaw(url, lines.join("\r\n"));
}
