// History over HTTP: reads at past revisions, the revisions of an object with their field managers, and compaction.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { main } from "../../src/main.ts";
import { createServer, type Server, type ServerOptions } from "../../src/server/server.ts";

const EGRESS_IPS = "/apis/k8s.ovn.org/v1/egressips";
const START = "2030-01-02T03:04:05Z";

let folder: string;
let server: Server;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-history-"));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const start = async (options: Partial<ServerOptions>): Promise<void> => {
  server = await createServer({
    inMemory: true,
    kubeconfig: join(folder, "kubeconfig"),
    listen: "127.0.0.1:0",
    logLevel: "silent",
    controllers: "",
    clock: START,
    ...options,
  });
};

const send = async (method: string, path: string, body?: unknown) => {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await fetch(new URL(path, server.url), {
    method,
    headers: { "content-type": type, "user-agent": "a-test/1.0" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, json: text.startsWith("{") ? JSON.parse(text) : text };
};

const revisionOf = async (answer: Promise<{ json: { metadata: { resourceVersion: string } } }>) =>
  (await answer).json.metadata.resourceVersion;

const create = (name: string, ...egressIPs: string[]) =>
  revisionOf(
    send("POST", `${EGRESS_IPS}?fieldManager=maker`, {
      apiVersion: "k8s.ovn.org/v1",
      kind: "EgressIP",
      metadata: { name },
      spec: { egressIPs, namespaceSelector: {} },
    }),
  );

const move = (name: string, ...egressIPs: string[]) =>
  revisionOf(send("PATCH", `${EGRESS_IPS}/${name}?fieldManager=mover`, { spec: { egressIPs } }));

const advance = (duration: string) => send("POST", "/egret/v1/clock/advance", { duration });

/** An object that is made, changed an hour later, deleted another hour later, and made anew: [revisions of all that]. */
async function live(): Promise<readonly string[]> {
  const made = await create("web", "10.0.0.1");
  await advance("1h");
  const moved = await move("web", "10.0.0.2");
  await advance("1h");
  await send("DELETE", `${EGRESS_IPS}/web`);
  const deleted = await revisionOf(send("GET", EGRESS_IPS));
  return [made, moved, deleted, await create("web", "10.0.0.3")];
}

const ipsAt = async (revision: string) => {
  const query = `fieldSelector=metadata.name%3Dweb&resourceVersion=${revision}&resourceVersionMatch=Exact`;
  const { status, json } = await send("GET", `${EGRESS_IPS}?${query}`);
  if (status !== 200) return status;
  return json.items.map((item: { spec: { egressIPs: string[] } }) => item.spec.egressIPs.join());
};

describe("with --retain all", () => {
  beforeEach(() => start({ retain: "all" }));

  test("lists and objects of every revision can be read, however old", async () => {
    const [made = "", moved = "", deleted = "", anew = ""] = await live();
    await advance("1000h");
    expect(await ipsAt(made)).toEqual(["10.0.0.1"]);
    expect(await ipsAt(moved)).toEqual(["10.0.0.2"]);
    expect(await ipsAt(deleted)).toEqual([]);
    expect(await ipsAt(anew)).toEqual(["10.0.0.3"]);
    const at = (revision: string) =>
      send("GET", `/egret/v1/objects/egressips/web?resourceVersion=${revision}`);
    expect(await at(moved)).toMatchObject({
      status: 200,
      json: { kind: "EgressIP", metadata: { resourceVersion: moved }, spec: { egressIPs: ["10.0.0.2"] } },
    });
    expect((await at(deleted)).status).toBe(404);
    expect((await at("1")).status).toBe(404);
    expect(await at("99999")).toMatchObject({
      status: 400,
      json: { message: `revision 99999 is not there yet, the newest is ${anew}` },
    });
    expect((await at("x")).status).toBe(400);
  });

  test("a watch from any revision sees all that came after", async () => {
    const [made = ""] = await live();
    await advance("1000h");
    const stop = new AbortController();
    const watch = await fetch(new URL(`${EGRESS_IPS}?watch=true&resourceVersion=${made}`, server.url), {
      signal: stop.signal,
    });
    const types: string[] = [];
    for await (const chunk of (watch.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      types.push(...chunk.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).type])));
      if (types.length === 3) break;
    }
    stop.abort();
    expect(types).toEqual(["MODIFIED", "DELETED", "ADDED"]);
  });

  test("the history says what has changed, when, and who it was", async () => {
    const [made, moved, deleted, anew] = await live();
    const { json } = await send("GET", "/egret/v1/history/EgressIP/web");
    const request = (verb: string, time: string) => ({
      user: expect.any(String),
      userAgent: "a-test/1.0",
      verb,
      time,
    });
    const created = (ip: string) => [{ path: "spec", after: { egressIPs: [ip], namespaceSelector: {} } }];
    expect(json).toMatchObject({
      apiVersion: "k8s.ovn.org/v1",
      kind: "EgressIP",
      namespace: "",
      name: "web",
    });
    expect(json.revisions).toEqual([
      {
        resourceVersion: made,
        type: "ADDED",
        time: "2030-01-02T03:04:05.000Z",
        by: [{ manager: "maker", operation: "Update" }],
        request: request("create", "2030-01-02T03:04:05.000Z"),
        changes: created("10.0.0.1"),
      },
      {
        resourceVersion: moved,
        type: "MODIFIED",
        time: "2030-01-02T04:04:05.000Z",
        by: [{ manager: "mover", operation: "Update" }],
        request: request("patch", "2030-01-02T04:04:05.000Z"),
        changes: [
          { path: "metadata.generation", before: 1, after: 2 },
          { path: "spec.egressIPs", before: ["10.0.0.1"], after: ["10.0.0.2"] },
        ],
      },
      {
        resourceVersion: deleted,
        type: "DELETED",
        time: "2030-01-02T05:04:05.000Z",
        by: [],
        request: request("delete", "2030-01-02T05:04:05.000Z"),
        changes: [],
      },
      {
        resourceVersion: anew,
        type: "ADDED",
        time: "2030-01-02T05:04:05.000Z",
        by: [{ manager: "maker", operation: "Update" }],
        request: request("create", "2030-01-02T05:04:05.000Z"),
        changes: created("10.0.0.3"),
      },
    ]);
  });

  test("a write is known by its request in whatever form it was answered", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    const forms = { a: "application/json", b: "application/yaml", c: "application/vnd.kubernetes.protobuf" };
    for (const [name, accept] of Object.entries(forms)) {
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
      const headers = { "content-type": "application/json", accept };
      await fetch(new URL(path, server.url), { method: "POST", headers, body: JSON.stringify(body) });
      const { json } = await send("GET", `/egret/v1/history/configmaps/${name}`);
      expect([name, json.revisions[0].request?.verb]).toEqual([name, "create"]);
    }
  });

  test("of a long history the newest revisions are told", async () => {
    const [, , , anew] = await live();
    const newest = await send("GET", "/egret/v1/history/EgressIP/web?limit=1");
    expect(newest.json).toMatchObject({ leftOut: 3, revisions: [{ resourceVersion: anew, type: "ADDED" }] });
    for (const limit of ["0", "1001", "all"])
      expect((await send("GET", `/egret/v1/history/EgressIP/web?limit=${limit}`)).status).toBe(400);
  });

  test("without the log of requests managedFields say who it was", async () => {
    await live();
    await send("DELETE", "/egret/v1/requests");
    const { json } = await send("GET", "/egret/v1/history/eip/web?group=k8s.ovn.org");
    expect(json.revisions[1]).toMatchObject({ time: "2030-01-02T04:04:05Z", by: [{ manager: "mover" }] });
    expect(json.revisions[1]).not.toHaveProperty("request");
    expect(json.revisions[2]).not.toHaveProperty("time");
  });

  test("what never was, and what is not served, has no history", async () => {
    const statusOf = async (path: string) => (await send("GET", `/egret/v1/history/${path}`)).status;
    expect(await statusOf("egressips/other")).toBe(404);
    expect(await statusOf("gadgets/web")).toBe(400);
    expect(await statusOf("configmaps/kube-root-ca.crt?namespace=nowhere")).toBe(404);
  });
});

describe("compaction", () => {
  test("makes earlier reads 410, and the history begins with what is kept", async () => {
    await start({ retain: "all" });
    const [made = "", moved = "", deleted = ""] = await live();
    expect(await send("POST", "/egret/v1/compact", { revision: 100_000 })).toMatchObject({
      status: 400,
      json: { message: expect.stringMatching(/^revision 100000 is not there yet, the newest is \d+$/) },
    });
    expect((await send("POST", "/egret/v1/compact", { revision: 0 })).status).toBe(400);
    expect(await send("POST", "/egret/v1/compact", { revision: Number(moved) })).toMatchObject({
      status: 200,
      json: { oldestRevision: moved },
    });
    expect(await ipsAt(made)).toBe(410);
    expect(await ipsAt(moved)).toEqual(["10.0.0.2"]);
    const at = await send("GET", `/egret/v1/objects/egressips/web?resourceVersion=${made}`);
    expect(at).toMatchObject({ status: 410, json: { reason: "Expired" } });
    const watch = await send("GET", `${EGRESS_IPS}?watch=true&resourceVersion=${made}`);
    expect(watch.json).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    const { json } = await send("GET", "/egret/v1/history/egressip/web");
    expect(json.oldestRevision).toBe(moved);
    const told = json.revisions.map(({ type, resourceVersion }: Record<string, string>) => [
      type,
      resourceVersion,
    ]);
    expect(told.slice(0, 2)).toEqual([
      ["KEPT", moved],
      ["DELETED", deleted],
    ]);
    expect(await send("POST", "/egret/v1/compact", { revision: made })).toMatchObject({
      json: { oldestRevision: moved },
    });
  });

  test("comes by itself after five minutes, by the server's clock", async () => {
    await start({});
    const made = await create("web", "10.0.0.1");
    await move("web", "10.0.0.2");
    await advance("4m");
    expect(await ipsAt(made)).toEqual(["10.0.0.1"]);
    await advance("3m");
    expect(await ipsAt(made)).toBe(410);
  });

  test("comes when --retain says it", async () => {
    await start({ retain: "2h" });
    const made = await create("web", "10.0.0.1");
    await move("web", "10.0.0.2");
    await advance("119m");
    expect(await ipsAt(made)).toEqual(["10.0.0.1"]);
    await advance("30m");
    expect(await ipsAt(made)).toBe(410);
  });
});

test("what was retained is there after a restart", async () => {
  const options = { retain: "all", inMemory: false, dataDir: join(folder, "data") };
  await start(options);
  const [made = "", moved = ""] = await live();
  await server.close();
  await start(options);
  expect(await ipsAt(made)).toEqual(["10.0.0.1"]);
  expect(await ipsAt(moved)).toEqual(["10.0.0.2"]);
});

describe("commands", () => {
  const run = async (...args: string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const keep = (into: string[]) => (text: unknown) => into.push(String(text)) > 0;
    const spies = [
      vi.spyOn(process.stdout, "write").mockImplementation(keep(out)),
      vi.spyOn(process.stderr, "write").mockImplementation(keep(err)),
    ];
    try {
      const code = await main(args, { EGRET_KUBECONFIG: join(folder, "kubeconfig") });
      return { code, out: out.join(""), err: err.join("") };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  };

  beforeEach(() => start({ retain: "all" }));

  test("egret history prints a timeline", async () => {
    const [made, moved, deleted] = await live();
    const { code, out } = await run("history", "EgressIP", "web");
    expect(code).toBe(0);
    const lines = out.split("\n");
    expect(lines[0]).toBe("EgressIP web (k8s.ovn.org/v1)");
    expect(lines.slice(1, 10)).toEqual([
      "",
      `${made}  ADDED  2030-01-02T03:04:05.000Z  maker (Update)  create by system:admin, a-test/1.0`,
      '    spec = {"egressIPs":["10.0.0.1"],"namespaceSelector":{}}',
      "",
      `${moved}  MODIFIED  2030-01-02T04:04:05.000Z  mover (Update)  patch by system:admin, a-test/1.0`,
      "    metadata.generation: 1 → 2",
      '    spec.egressIPs: ["10.0.0.1"] → ["10.0.0.2"]',
      "",
      `${deleted}  DELETED  2030-01-02T05:04:05.000Z  delete by system:admin, a-test/1.0`,
    ]);
    expect(JSON.parse((await run("history", "eip", "web", "-o", "json")).out).revisions).toHaveLength(4);
    expect(JSON.parse((await run("history", "eip", "web", "--at", made ?? "")).out)).toMatchObject({
      spec: { egressIPs: ["10.0.0.1"] },
    });
    await run("compact", moved ?? "");
    expect((await run("history", "EgressIP", "web")).out.split("\n")[0]).toBe(
      `EgressIP web (k8s.ovn.org/v1); what was before revision ${moved} is forgotten`,
    );
  });

  test("egret compact says what can be read", async () => {
    const [, moved = ""] = await live();
    expect(await run("compact", moved)).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`^revisions ${moved} to \\d+ can be read\\n$`)),
    });
  });

  test("egret clock tells the time, and changes it", async () => {
    const told = async (...args: string[]) => (await run("clock", ...args)).out;
    expect(await told()).toMatch(/^2030-01-02T03:04:05Z frozen, \d+ timers? to come\n$/);
    expect(await told("advance", "1h30m")).toMatch(/^2030-01-02T04:34:05Z frozen/);
    expect(await told("to", "2030-01-03T00:00:00Z")).toMatch(/^2030-01-03T00:00:00Z frozen/);
    expect(await told("freeze", "2031-01-01T00:00:00Z")).toMatch(/^2031-01-01T00:00:00Z frozen/);
    expect(await told("settle")).toMatch(/^2031-01-01T00:00:00Z frozen/);
    expect(await told("real")).toMatch(/^20\d\d-\S+ real/);
  });

  test("what cannot be done is said in one line", async () => {
    const refused: [args: string[], line: unknown][] = [
      [["history", "EgressIP"], "egret: say of which object: egret history KIND NAME\n"],
      [["history", "EgressIP", "none"], 'egret: egressips.k8s.ovn.org "none" not found\n'],
      [["history", "gadgets", "none"], 'egret: no resource "gadgets" is served\n'],
      [["history", "eip", "web", "-o", "yaml"], "egret: --output yaml is none of text, json\n"],
      [["compact"], "egret: say up to where: egret compact REVISION\n"],
      [["compact", "now"], 'egret: revision "now" is no revision\n'],
      [["clock", "advance", "soon"], 'egret: time: invalid duration "soon"\n'],
      [["clock", "stop"], expect.stringContaining("egret: say what to do: egret clock")],
    ];
    for (const [args, line] of refused) expect(await run(...args)).toEqual({ code: 1, out: "", err: line });
  });
});

test.each([
  [{ clock: "yesterday" }, '--clock yesterday: "yesterday" is no time: write it as 2030-01-02T15:04:05Z'],
  [{ retain: "long" }, '--retain long: time: invalid duration "long"'],
])("a server is not started with %j", async (options, message) => {
  await expect(start(options)).rejects.toThrow(message);
  await start({});
});
