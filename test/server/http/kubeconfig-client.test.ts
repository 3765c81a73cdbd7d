// A connection to the server of a kubeconfig, with what a server answers to it.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Connection } from "../../../src/apiserver/http/kubeconfig/client.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let folder: string;
let server: Server;
let handle: Handler;
let seen: IncomingMessage[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-connection-"));
  seen = [];
  handle = (_request, response) => response.end("{}");
  server = createServer((request, response) => {
    seen.push(request);
    handle(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** To the server, at a path of its own. */
async function connect(user: object = {}, cluster: object = {}, path = "") {
  const { port } = server.address() as AddressInfo; // it listens on a port
  const kubeconfig = join(folder, "config");
  const config = {
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}${path}`, ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  return new Connection({ paths: [kubeconfig] });
}

const GET = { method: "GET", path: "/version?a=b" } as const;
const tokens = () => seen.map(({ headers }) => headers.authorization?.replace("Bearer ", ""));

describe("requests", () => {
  test("go below the path of the server", async () => {
    const paths = ["", "/", "/k8s/clusters/c-1", "/k8s/"];
    for (const path of paths) await (await connect({}, {}, path)).request(GET);
    expect(seen.map(({ url }) => url)).toEqual([
      ...["/version?a=b", "/version?a=b"],
      ...["/k8s/clusters/c-1/version?a=b", "/k8s/version?a=b"],
    ]);
  });

  test("are on behalf of somebody else where the user says so", async () => {
    const user = { token: "t", as: "jane", "as-groups": ["dev", "ops"] };
    await (await connect(user)).request(GET);
    expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer t", "impersonate-user": "jane" });
    expect(seen[0]?.headersDistinct["impersonate-group"]).toEqual(["dev", "ops"]);
  });

  test("to nobody are told of", async () => {
    const nowhere = await connect({}, { server: "http://[" });
    await expect(nowhere.request(GET)).rejects.toThrow(/is no address of a server/);
    const connection = await connect();
    server.close();
    await expect(connection.request(GET)).rejects.toThrow(/^http:.* does not answer \(connect/);
  });
});

describe("answers", () => {
  test("that are large may come compressed, unless the cluster says otherwise", async () => {
    handle = (request, response) => {
      const isPacked = request.headers["accept-encoding"] === "gzip";
      if (isPacked) response.setHeader("content-encoding", "gzip");
      response.end(isPacked ? gzipSync("packed ü") : "plain ü");
    };
    const large = { ...GET, isLarge: true };
    expect((await (await connect()).request(large)).text).toBe("packed ü");
    expect((await (await connect()).request(GET)).text).toBe("plain ü");
    expect((await (await connect({}, { "disable-compression": true })).request(large)).text).toBe("plain ü");
  });

  test("tell when to ask again, and what the server warns of", async () => {
    handle = (_request, response) => {
      response.writeHead(429, { "retry-after": "3", warning: '299 - "old \\"thing\\""' }).end("later");
    };
    expect(await (await connect()).request(GET)).toEqual({
      ...{ status: 429, text: "later" },
      ...{ warnings: ['old "thing"'], retryAfterSeconds: 3 },
    });
  });

  test("that end too early are told of", async () => {
    handle = (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    };
    await expect((await connect()).request(GET)).rejects.toThrow("the server has ended its answer too early");
  });
});

describe("credentials", () => {
  test("that are refused are read again, once", async () => {
    await writeFile(join(folder, "token"), "old");
    handle = (request, response) => {
      response.writeHead(request.headers.authorization === "Bearer new" ? 200 : 401).end();
    };
    const connection = await connect({ tokenFile: "token" });
    expect((await connection.request(GET)).status).toBe(401);
    await writeFile(join(folder, "token"), "new");
    expect((await connection.request(GET)).status).toBe(200);
    expect((await connection.request(GET)).status).toBe(200);
    expect(tokens()).toEqual(["old", "old", "old", "new", "new"]);
  });

  test("that stand in the file are not", async () => {
    handle = (_request, response) => {
      response.writeHead(401).end();
    };
    expect((await (await connect({ token: "t" })).request(GET)).status).toBe(401);
    expect(tokens()).toEqual(["t"]);
  });

  test.each([
    ["a day", 86_400_000, ["1", "1", "1"]],
    ["a second", 1000, ["1", "2", "3"]],
    ["nobody says how long", undefined, ["1", "1", "1"]],
  ])(
    "of a program that are good for %s are asked for again when they are not",
    async (_long, ms, expected) => {
      const expires =
        ms === undefined ? {} : { expirationTimestamp: new Date(Date.now() + ms).toISOString() };
      const apiVersion = "client.authentication.k8s.io/v1";
      const status = { ...expires, token: "TOKEN" };
      const credential = JSON.stringify({ apiVersion, kind: "ExecCredential", status });
      const script = `echo >> ${folder}/count; echo '${credential}' | sed "s/TOKEN/$(wc -l < ${folder}/count | tr -d ' ')/"`;
      const exec = { apiVersion, command: "sh", args: ["-c", script], interactiveMode: "Never" };
      const connection = await connect({ exec });
      for (let time = 0; time < 3; time++) await connection.request(GET);
      expect(tokens()).toEqual(expected);
    },
  );
});
