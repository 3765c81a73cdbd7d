// Files that are uploaded to a server are decoded as by `egret import`.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fileNameOf } from "../../../src/features/import/import-file.ts";
import { startEgret } from "../../../src/testing/start-egret.ts";

const node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, uid: u-1, resourceVersion: '7'}\n";
const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: default}\ndata: {a: aHVzaA==}\n";

/** Other tests import files at the same time. */
const { TMPDIR: sharedFolder } = process.env;
let ownFolder: string;
beforeAll(async () => {
  ownFolder = await mkdtemp(join(tmpdir(), "egret-uploads-"));
  process.env["TMPDIR"] = ownFolder;
});
afterAll(async () => {
  if (sharedFolder === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = sharedFolder;
  await rm(ownFolder, { recursive: true });
});

const uploads = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith("egret-import-")).length;

interface Answer {
  readonly status: number;
  readonly body: {
    readonly message?: string;
    readonly objects?: number;
    readonly skipped?: readonly { readonly reason: string; readonly origins: readonly string[] }[];
  };
}

async function send(url: string, body: Uint8Array | string, query = "name=dump.yaml"): Promise<Answer> {
  const answer = await fetch(`${url}/egret/v1/import/file?${query}`, {
    ...{ method: "POST", body: body as string },
    headers: { "content-type": "application/octet-stream" },
  });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

/** A tar.gz. */
async function packed(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "egret-packed-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, "in", path)), { recursive: true });
    await writeFile(join(folder, "in", path), text);
  }
  execFileSync("tar", ["-czf", "all.tar.gz", "-C", "in", "."], { cwd: folder });
  const bytes = await readFile(join(folder, "all.tar.gz"));
  await rm(folder, { recursive: true });
  return bytes;
}

test("a file of YAML, a packed archive of a must-gather: what is in them is written as it stood", async () => {
  await using server = await startEgret({ controllers: [] });
  const before = await uploads();
  expect(await send(server.url, node)).toMatchObject({ status: 200, body: { objects: 1 } });
  expect((await server.client.get("v1/Node", "n1")).metadata.uid).toBe("u-1");
  const gathered = await packed({
    "must-gather/quay-io/cluster-scoped-resources/core/nodes/n2.yaml": node
      .replaceAll("n1", "n2")
      .replace("u-1", "u-2"),
    "must-gather/quay-io/namespaces/all/notes.txt": "kind: Pod",
  });
  expect(await send(server.url, gathered, "name=must-gather.tar.gz")).toMatchObject({ status: 200 });
  expect((await server.client.get("v1/Node", "n2")).metadata.name).toBe("n2");
  expect(await uploads()).toBe(before);
});

test("Secrets come only when they are asked for", async () => {
  await using server = await startEgret({ controllers: [] });
  const first = await send(server.url, `${node}---\n${secret}`);
  expect(first.body.skipped?.map(({ reason }) => reason).join()).toContain("Secret");
  await expect(server.client.get("v1/Secret", "s", { namespace: "default" })).rejects.toThrow("not found");
  expect(await send(server.url, secret, "name=a.yaml&secrets=true")).toMatchObject({ status: 200 });
  await server.client.get("v1/Secret", "s", { namespace: "default" });
});

test("what nobody can read is refused, and nothing is told of where it lay", async () => {
  await using server = await startEgret({ controllers: [] });
  for (const [body, query] of [
    ["not: [an, object", "name=a.yaml"],
    [Buffer.from("fd377a585a0000", "hex"), "name=dump.xz"],
    ["hello", "name=../../etc/passwd"],
  ] as const) {
    const { status, body: told } = await send(server.url, body, query);
    expect(status).toBe(400);
    expect(told.message).not.toBe("");
    expect(JSON.stringify(told)).not.toContain(tmpdir());
  }
  expect(await send(server.url, "")).toMatchObject({ status: 400, body: { message: "a body is needed" } });
});

test("the last line of its progress is the report", async () => {
  await using server = await startEgret({ controllers: [] });
  const answer = await fetch(`${server.url}/egret/v1/import/file?name=a.yaml&progress=true`, {
    ...{ method: "POST", body: node },
  });
  const lines = (await answer.text()).trim().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ report: { objects: 1 } });
});

test("of a name nothing is kept that leads elsewhere", () => {
  expect(["../../etc/passwd", "C:\\a\\b.db", "...", "", "must gather.tar.gz"].map(fileNameOf)).toEqual([
    ...["passwd", "b.db", "file", "file", "must_gather.tar.gz"],
  ]);
});

test("nodes are added with names and addresses that nobody has", async () => {
  await using server = await startEgret({ controllers: [] });
  const add = async (body: object) => {
    const answer = await fetch(`${server.url}/egret/v1/nodes`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  expect(await add({ count: 2, zones: ["west"], assignable: 1 })).toEqual({
    status: 200,
    body: { names: ["worker-1", "worker-2"] },
  });
  expect(await add({ count: 1, name: "worker" })).toMatchObject({ body: { names: ["worker-3"] } });
  const { items } = await server.client.list("v1/Node");
  const cidrs = items.map(({ metadata }) => metadata.annotations?.["k8s.ovn.org/host-cidrs"]);
  expect(new Set(cidrs).size).toBe(3);
  expect(
    items.filter(({ metadata }) => "k8s.ovn.org/egress-assignable" in (metadata.labels ?? {})),
  ).toHaveLength(1);
  expect(await add({ count: 500, networks: ["10.0.0.0/28"] })).toMatchObject({
    status: 400,
    body: { message: "10.0.0.0/28 has no 500 addresses left: name a larger --network" },
  });
  expect(await add({ count: 0 })).toMatchObject({ status: 400 });
  expect(await add({ count: 1, networks: ["nonsense"] })).toMatchObject({ status: 400 });
});
