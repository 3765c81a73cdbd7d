// Session cookies of the web UI, through the whole server over TLS: how a client gets one, its user, and the origins that
// may use it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../../support/memory-server.ts";
import { openWatchSocket, refusedWatchSocket } from "../../../support/sockets/watch-socket.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const TOKENS = 'root,admin,1,"system:masters"\nsee,viewer,2,viewers\n';

let folder: string;
let server: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-sessions-"));
  const tokenAuthFile = join(folder, "tokens.csv");
  await writeFile(tokenAuthFile, TOKENS);
  server = await createServer({ ...MEMORY_SERVER, secure: true, tokenAuthFile });
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function ask(path: string, { method, headers = {}, body }: Asked = {}) {
  const { authority: ca } = server.kubeconfig;
  const sent = httpsRequest(`${server.url}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    agent: false,
    ...(ca === undefined ? {} : { ca }),
  });
  const answer = new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    sent.on("response", resolve);
    sent.on("error", reject);
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const response = await answer;
  const received = await text(response);
  const [cookie] = response.headers["set-cookie"] ?? [];
  return { status: response.statusCode, cookie, body: received === "" ? undefined : JSON.parse(received) };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const ownPage = () => ({ origin: server.url });

/** The cookie as a browser sends it back. */
async function logIn(token: string): Promise<string> {
  const { status, cookie } = await ask("/egret/v1/ui/login", { method: "POST", headers: bearer(token) });
  expect(status).toBe(204);
  return cookie?.split(";")[0] ?? "";
}

describe("a login", () => {
  test("by a token gives a cookie that scripts cannot read, and other sites cannot send", async () => {
    const { cookie } = await ask("/egret/v1/ui/login", { method: "POST", headers: bearer("see") });
    const { port } = new URL(server.url);
    expect(cookie).toMatch(
      new RegExp(
        `^__Host-egret-${port}=[\\w-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$`,
      ),
    );
  });

  test.each([
    ["nothing", {}],
    ["a token that nobody knows", bearer("wrong")],
  ])("with %s is refused", async (_what, headers) => {
    expect(await ask("/egret/v1/ui/login", { method: "POST", headers })).toMatchObject({
      status: 401,
      cookie: undefined,
      body: { kind: "Status", reason: "Unauthorized" },
    });
  });

  test("in the name of somebody else is refused", async () => {
    const headers = { ...bearer("root"), "impersonate-user": "viewer" };
    expect(await ask("/egret/v1/ui/login", { method: "POST", headers })).toMatchObject({ status: 400 });
  });

  test("from another page is refused", async () => {
    const headers = { ...bearer("root"), origin: "https://example.com" };
    expect(await ask("/egret/v1/ui/login", { method: "POST", headers })).toMatchObject({ status: 403 });
  });
});

describe("a cookie", () => {
  test("stands for the user of the token, with his rights", async () => {
    const [admin, viewer] = [await logIn("root"), await logIn("see")];
    const session = async (cookie: string) =>
      (await ask("/egret/v1/ui/session", { headers: { cookie, ...ownPage() } })).body;
    expect(await session(admin)).toMatchObject({ user: "admin", asksWho: true, known: true });
    expect(await session(viewer)).toMatchObject({ user: "viewer", known: true });
    expect(await session("")).toMatchObject({ user: "system:anonymous", asksWho: true, known: false });
    expect((await ask(MAPS, { headers: { cookie: admin, ...ownPage() } })).status).toBe(200);
    expect((await ask(MAPS, { headers: { cookie: viewer, ...ownPage() } })).status).toBe(403);
  });

  test("comes after a token that is shown as well", async () => {
    const headers = { cookie: await logIn("root"), ...ownPage() };
    expect((await ask(MAPS, { headers: { ...headers, ...bearer("see") } })).status).toBe(403);
    expect((await ask(MAPS, { headers: { ...headers, ...bearer("wrong") } })).status).toBe(401);
  });

  test.each([
    ["the page of this server", { origin: "OWN" }, 200, 201],
    ["the page of this server, as browsers say it", { "sec-fetch-site": "same-origin" }, 200, 403],
    ["nobody says where", {}, 403, 403],
    ["a page of another port", { "sec-fetch-site": "same-site" }, 403, 403],
    ["a page of another port, with its name", { origin: "https://127.0.0.1:1" }, 403, 403],
    ["another web page", { "sec-fetch-site": "cross-site" }, 403, 403],
    ["another web page that would be this one", { "sec-fetch-site": "cross-site", origin: "OWN" }, 403, 403],
    ["the address bar", { "sec-fetch-site": "none" }, 403, 403],
    ["the same name without TLS", { origin: "PLAIN" }, 403, 403],
    ["a page without a name", { origin: "null" }, 403, 403],
  ])("from %s", async (_where, given, read, write) => {
    const places: Record<string, string> = { OWN: server.url, PLAIN: server.url.replace("https", "http") };
    const said = Object.entries(given).map(([name, value]) => [name, places[value] ?? value]);
    const headers = { cookie: await logIn("root"), ...Object.fromEntries(said) };
    expect((await ask(MAPS, { headers })).status).toBe(read);
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "a-" } };
    expect((await ask(MAPS, { headers, body })).status).toBe(write);
  });

  test("opens watches from the page, and from nowhere else", async () => {
    const { authority: ca = "" } = server.kubeconfig;
    const headers = { cookie: await logIn("root") };
    const url = `${server.url}${MAPS}?watch=1`;
    await using socket = await openWatchSocket(url, { ca, headers });
    expect(socket.protocol).toBe("");
    for (const origin of ["https://example.com", "https://127.0.0.1:1", undefined])
      expect(await refusedWatchSocket(url, { ca, headers, origin })).toMatchObject({ status: 403 });
  });

  test("makes no further sessions", async () => {
    const headers = { cookie: await logIn("root"), ...ownPage() };
    for (const path of ["/egret/v1/ui/login", "/egret/v1/ui/link"])
      expect(await ask(path, { method: "POST", headers })).toMatchObject({ status: 401, cookie: undefined });
  });

  test("takes its watches along when it ends", async () => {
    const { authority: ca = "" } = server.kubeconfig;
    const headers = { cookie: await logIn("root"), ...ownPage() };
    await using socket = await openWatchSocket(`${server.url}${MAPS}?watch=1`, { ca, headers });
    await ask("/egret/v1/ui/logout", { method: "POST", headers });
    expect(await socket.closed).toBe(1000);
  });

  test("means nothing after the logout, and a wrong one never did", async () => {
    const cookie = await logIn("root");
    const { cookie: gone } = await ask("/egret/v1/ui/logout", {
      method: "POST",
      headers: { cookie, ...ownPage() },
    });
    expect(gone).toMatch(/^__Host-egret-\d+=; Path=\/; Max-Age=0; /);
    expect((await ask(MAPS, { headers: { cookie, ...ownPage() } })).status).toBe(401);
    const wrong = cookie.replace(/=.*/, "=wrong");
    expect((await ask(MAPS, { headers: { cookie: wrong, ...ownPage() } })).status).toBe(401);
    const foreign = cookie.replace(/-\d+=/, "-1=");
    expect((await ask(MAPS, { headers: { cookie: foreign, ...ownPage() } })).status).toBe(403);
  });
});

describe("a link", () => {
  const makeLink = async (token: string): Promise<string> => {
    const { body } = await ask("/egret/v1/ui/link", { method: "POST", headers: bearer(token) });
    return body.url;
  };
  const follow = (link: string) =>
    ask("/egret/v1/ui/login", { body: { code: link.split("#code=")[1] }, headers: ownPage() });

  test("opens one session of whoever made it", async () => {
    const link = await makeLink("see");
    expect(link).toMatch(new RegExp(`^${server.url}/egret/ui/#code=[\\w-]{43}$`));
    const { status, cookie = "" } = await follow(link);
    expect(status).toBe(204);
    const headers = { cookie: cookie.split(";")[0] ?? "", ...ownPage() };
    expect((await ask("/egret/v1/ui/session", { headers })).body).toMatchObject({ user: "viewer" });
    expect(cookie).not.toContain(link.split("#code=")[1]);
    expect(await follow(link)).toMatchObject({ status: 401, cookie: undefined });
  });

  test("is made for nobody who has not said who he is", async () => {
    expect(await ask("/egret/v1/ui/link", { method: "POST" })).toMatchObject({ status: 401 });
    expect(await follow("#code=guessed")).toMatchObject({ status: 401 });
  });
});
