// The whole server on a disk that is full, read-only or corrupted: it reports the fault, rejects writes it cannot store,
// keeps serving reads, and loses no acknowledged write.
import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunOptions, runEgret, startEgret } from "../support/egret-process.ts";

/** An unprivileged user id: root can write to read-only folders. */
const NOBODY = 65_534;
const FULL_KILOBYTES = 2000;
const VALUE_BYTES = 100_000;
const CREATES_MAX = 100;
const PATH = "/api/v1/namespaces/default/configmaps";

let folder: string;
let data: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-disk-"));
  data = join(folder, "data");
});
afterEach(async () => {
  await chmod(folder, 0o755);
  await rm(folder, { recursive: true, force: true });
});

const flags = () => ["--data-dir", data, "--kubeconfig", "", "--controllers", ""];

async function create(url: string, name: string): Promise<{ status: number; text: string }> {
  const value = Array.from({ length: VALUE_BYTES / 10 }, () => Math.random().toString(36).slice(2, 12)).join(
    "",
  );
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}${PATH}`, { method: "POST", headers, body });
  return { status: answer.status, text: await answer.text() };
}

async function names(url: string): Promise<string[]> {
  const { items } = (await (await fetch(`${url}${PATH}`)).json()) as {
    items: { metadata: { name: string } }[];
  };
  return items.map(({ metadata }) => metadata.name).filter((name) => /^c\d/.test(name));
}

test("a full disk: writes are refused from then on, reads go on, and all that was answered is there", async () => {
  const kept: string[] = [];
  {
    await using egret = await startEgret(flags(), { fileKilobytesMax: FULL_KILOBYTES });
    let refused: Awaited<ReturnType<typeof create>> | undefined;
    for (let number = 10; number < CREATES_MAX && refused === undefined; number++) {
      const answer = await create(egret.url, `c${number}`);
      if (answer.status === 201) kept.push(`c${number}`);
      else refused = answer;
    }
    expect(kept.length).toBeGreaterThan(5);
    expect(refused?.status).toBe(500);
    expect(refused?.text).toContain("could not be written");
    expect(await create(egret.url, "c99")).toMatchObject({ status: 500 });
    expect(await names(egret.url)).toEqual(kept);
    expect((await fetch(`${egret.url}/livez/etcd`)).status).toBe(500);
    const { code, stderr } = await egret.stop();
    const logged = stderr.split("\n").filter((line) => line.includes("could not be written"));
    expect([code, logged.length]).toEqual([1, 1]);
    expect(JSON.parse(logged[0] ?? "")).toMatchObject({
      level: "error",
      msg: expect.stringMatching(
        /could not be written \(.*(?:too large|No space).*\): nothing more is accepted/i,
      ),
    });
  }
  const checked = await runEgret(["check", "--data-dir", data]);
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("nothing is wrong") });
  await using again = await startEgret(flags());
  const there = await names(again.url);
  expect(there.slice(0, kept.length)).toEqual(kept);
  expect(there.length).toBeLessThanOrEqual(kept.length + 1); // the rejected one may have been written as a whole
  expect(await create(again.url, "c98")).toMatchObject({ status: 201 });
});

/** Where root runs the tests, the server runs as an unprivileged user, if that user can read the command. */
function asNobody(): RunOptions | undefined {
  if (process.getuid?.() !== 0) return {};
  const command = join(import.meta.dirname, "../../dist/main.js");
  const tried = spawnSync(process.execPath, ["--check", command], { uid: NOBODY, gid: NOBODY });
  return tried.status === 0 ? { user: NOBODY, cwd: tmpdir() } : undefined;
}

test.skipIf(asNobody() === undefined)(
  "a folder that may not be written to is refused in one line",
  async () => {
    await chmod(folder, 0o555);
    const empty = await runEgret([...flags(), "--listen", "127.0.0.1:0"], asNobody());
    expect(empty.code).toBe(1);
    expect(empty.stderr).toMatch(/^egret: the data folder .*data cannot be opened .*may write to\n$/);

    await chmod(folder, 0o755);
    await (await startEgret(flags())).stop();
    for (const name of await readdir(data)) await chmod(join(data, name), 0o444);
    await chmod(data, 0o555);
    const written = await runEgret([...flags(), "--listen", "127.0.0.1:0"], asNobody());
    await chmod(data, 0o755);
    expect(written.code).toBe(1);
    expect(written.stderr).toMatch(/^egret: the data folder .*data cannot be opened .*may write to\n$/);
  },
);

test("a changed byte: the server does not start, and the check says where it is", async () => {
  {
    await using egret = await startEgret(flags());
    expect(await create(egret.url, "c10")).toMatchObject({ status: 201 });
    await egret.stop();
  }
  const [log = ""] = (await readdir(data)).filter((name) => name.endsWith(".log"));
  const bytes = await readFile(join(data, log));
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(join(data, log), bytes);
  const where = new RegExp(
    `^egret: the data in .* is damaged: .*${log.replace(".", "\\.")}.* cannot be read;.*\n$`,
  );
  for (const args of [
    [...flags(), "--listen", "127.0.0.1:0"],
    ["check", "--data-dir", data],
  ]) {
    const { code, stderr } = await runEgret(args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(where)]);
  }
});
