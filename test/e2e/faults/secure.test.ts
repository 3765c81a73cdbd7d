// Broken connections also over TLS and HTTP/2.
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { request } from "node:https";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Server } from "../../../src/server/server.ts";
import { eventually } from "../../support/eventually.ts";
import { CONFIG_MAPS, start } from "./fault-server.ts";

let server: Server;
beforeAll(async () => {
  server = await start({ secure: true });
});
afterEach(() => server.control.faults.clear());
afterAll(() => server?.close());

const secrets = () => {
  const { authority: ca, token } = server.kubeconfig;
  return { ca, authorization: `Bearer ${token}` };
};

/** The status of an answer over HTTP/1.1, or what broke the connection. */
function askOverTls(): Promise<number | string | undefined> {
  const { ca, authorization } = secrets();
  return new Promise((resolve) => {
    const options = { ca, agent: false, headers: { authorization } };
    const sent = request(server.url + CONFIG_MAPS, options, (response) => {
      response.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      response.on("end", () => resolve(response.statusCode));
      response.resume();
    });
    sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    sent.end();
  });
}

test.each(["reset", "close", "halfClose"] as const)("HTTP/1.1 over TLS: %s", async (how) => {
  for (const when of ["before", "midBody"] as const) {
    server.control.faults.add({ disconnect: { how, when }, count: 1 });
    expect(await askOverTls()).toBe("ECONNRESET");
  }
  expect(await askOverTls()).toBe(200);
});

test.each(["reset", "close", "halfClose"] as const)("HTTP/2: %s takes the whole connection", async (how) => {
  const { ca, authorization } = secrets();
  server.control.faults.add({ match: { verb: "watch" }, watchEnd: { how } });
  const session: ClientHttp2Session = connect(server.url, ca === undefined ? {} : { ca });
  let closed = false;
  session.on("error", () => {}); // Node decides how it reports the error
  session.on("close", () => {
    closed = true;
  });
  const path = `${CONFIG_MAPS}?watch=1`;
  const stream = session.request({ [constants.HTTP2_HEADER_PATH]: path, authorization });
  stream.on("error", () => {});
  stream.resume();
  await eventually(
    () => closed,
    (is) => is,
  );
  expect(server.control.faults.list()).toMatchObject([{ fired: 1 }]);
});
