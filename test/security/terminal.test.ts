// Output of commands about objects, files, servers and their own arguments: a terminal interprets no byte of it as a
// control sequence.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runEgret } from "../support/egret-process.ts";
import { type BuiltServer, startBuiltServer } from "./built-server.ts";

/** Clears the screen, sets the title, starts a one-character control sequence, deletes, and reverses the text direction. */
const EVIL = "\u001b[2J\u001b]0;title\u0007\u009b31m\u007f\r\u202e";
const JSON_EVIL = JSON.stringify(EVIL).slice(1, -1);

let server: BuiltServer;
let folder: string;
let kubeconfig: string;
beforeAll(async () => {
  server = await startBuiltServer(["--controllers=egressip"]);
  folder = await mkdtemp(join(tmpdir(), "egret-terminal-"));
  kubeconfig = join(folder, "kubeconfig");
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "x" },
    clusters: [{ name: "c", cluster: { server: server.url } }],
    users: [{ name: "u", user: { token: "root" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  await writeFile(
    join(folder, "dump.json"),
    JSON.stringify({ apiVersion: "v1", kind: "List", items: ITEMS }),
  );
  await server.send("POST", "/api/v1/namespaces/default/configmaps", configMap("kept", "before"));
  await server.send("PUT", "/api/v1/namespaces/default/configmaps/kept", configMap("kept", EVIL));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const configMap = (name: string, value: string) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, annotations: { note: value } } },
  data: { [`key`]: value },
});

const ITEMS = [
  configMap(`evil${EVIL}`, EVIL),
  { ...configMap("kept", `other ${EVIL}`), metadata: { name: "kept", namespace: "default" } },
  { apiVersion: "v1", kind: "Node", metadata: { name: `node${EVIL}`, labels: { [EVIL]: EVIL } } },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: `ns${EVIL}` } },
  {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: `pod${EVIL}`, namespace: `ns${EVIL}` } },
    ...{ spec: { nodeName: `node${EVIL}` }, status: { phase: "Running", podIP: "10.0.0.1" } },
  },
  {
    ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name: `eip${EVIL}` } },
    spec: { egressIPs: [`192.0.2.1${EVIL}`], namespaceSelector: { matchLabels: { a: EVIL } } },
  },
  { apiVersion: `evil${EVIL}/v1`, kind: `Kind${EVIL}`, metadata: { name: "a" } },
];

const OBEYED = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u;

async function printed(...args: readonly string[]) {
  const { code, stdout, stderr } = await runEgret(args, {
    cwd: folder,
    env: { EGRET_KUBECONFIG: kubeconfig },
  });
  return { code, text: `${stdout}${stderr}` };
}

describe("control characters of foreign texts are shown, not sent", () => {
  const commands: [...string[]][] = [
    ["import", "dump.json"],
    ["diff", "dump.json"],
    ["apply", "-f", "dump.json"],
    ["history", "configmaps", "kept", "-n", "default"],
    ["explain", "egressip", `eip${EVIL}`, "--from", "dump.json"],
    ["explain", "node", `node${EVIL}`, "--from", "dump.json", "-o", "markdown"],
    ["trace", `pod/ns${EVIL}/pod${EVIL}`, "--to", "8.8.8.8:443", "--from", "dump.json"],
    ["trace", "--from", "dump.json", "--to", "0.0.0.0/0"],
    ["plan", "--every", "node", "--from", "dump.json"],
    ["explain", "egressip", `none${EVIL}`],
    ["snapshot", "save", `a${EVIL}`],
    ["snapshot", "list"],
    ["faults", "add", `{name: "${JSON_EVIL}", match: {resource: "${JSON_EVIL}"}, error: {code: 429}}`],
    ["faults", "list"],
    ["requests"],
    ["status", "--context", EVIL],
    [EVIL],
    ["status", `--${EVIL}`],
    ["nodes", "fail", EVIL],
    ["case", "run", "dump.json"],
    ["import", `none${EVIL}`],
  ];

  test("of every command that shows objects, errors or its arguments", async () => {
    for (let at = 0; at < commands.length; at += 3) {
      const some = commands.slice(at, at + 3);
      // The first commands read what the others have written.
      const results = at < 3 ? await inTurn(some) : await Promise.all(some.map((args) => printed(...args)));
      for (const [index, { text }] of results.entries()) {
        expect(text, JSON.stringify(some[index])).not.toMatch(OBEYED);
        expect(text, JSON.stringify(some[index])).not.toBe("");
      }
    }
  });

  async function inTurn(some: readonly (readonly string[])[]) {
    const results: Awaited<ReturnType<typeof printed>>[] = [];
    for (const args of some) results.push(await printed(...args));
    return results;
  }

  test("and of the log of the server", async () => {
    await server.send("GET", `/api/v1/namespaces/${encodeURIComponent(EVIL)}/pods`);
    const { stdout, stderr } = await server.process.stop();
    expect(`${stdout}${stderr}`).not.toMatch(OBEYED);
  });
});

test("what a foreign server answers and warns of", async () => {
  const answer = { kind: "Status", message: `no${EVIL}`, code: 403 };
  const foreign = createServer((_request, response) => {
    response.setHeader("warning", '299 - "\u009b31m"'); // as a proxy sends what it does not know
    response.statusCode = 403;
    response.end(JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  await once(foreign, "listening");
  try {
    const path = join(folder, "foreign");
    const { port } = foreign.address() as AddressInfo; // it listens on a port
    const clusters = [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }];
    const contexts = [{ name: "x", context: { cluster: "c" } }];
    await writeFile(path, JSON.stringify({ clusters, contexts, "current-context": "x" }));
    const { code, text } = await printed("clock", "--kubeconfig", path);
    expect(code).toBe(1);
    expect(text).toContain("egret: no\\u001b[2J");
    expect(text).toContain("Warning: ");
    expect(text).not.toMatch(OBEYED);
  } finally {
    foreign.closeAllConnections();
    foreign.close();
  }
});

test("JSON in a pipe stays what it was", async () => {
  const { stdout } = await runEgret(
    ["explain", "egressip", `eip${EVIL}`, "--from", "dump.json", "-o", "json"],
    {
      cwd: folder,
    },
  );
  expect(JSON.parse(stdout)).toMatchObject({ name: `eip${EVIL}` });
});
