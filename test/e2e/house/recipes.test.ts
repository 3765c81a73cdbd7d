// The recipes of src/README.md, followed exactly on a copy of the source, which then serves.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEEP_STACK } from "../../../src/server/launch/node-flags.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const FIXTURES = "test/fixtures/resources/shop.example.com.v1.Shelf";
const SHELVES = "/apis/shop.example.com/v1/namespaces/default/shelves";

/** Thousands of files are copied, on a disk that others may use. */
const COPY_MS_MAX = 180_000;

let folder: string;
let server: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-house-"));
  for (const part of ["src", "schemas", "scripts", "package.json", "tsconfig.json"])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const readme = await readFile(join(ROOT, "src/README.md"), "utf8");
  for (const heading of ["## Add a kind", "## Add a flag"]) {
    const steps = stepsOf(readme, heading);
    expect(steps.length).toBeGreaterThan(1);
    for (const step of steps) await follow(step);
  }
}, COPY_MS_MAX);

afterAll(async () => {
  if (server?.exitCode === null) {
    const ended = once(server, "exit");
    server.kill();
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
});

interface Step {
  readonly path: string;
  /** Where the text goes in a file that is there; undefined: it is the file. */
  readonly below: string | undefined;
  readonly text: string;
}

/** "Write `PATH`", or "In `PATH`, below `TEXT`", and the code that comes next. */
function stepsOf(readme: string, heading: string): Step[] {
  const [, section = ""] = readme.split(`${heading}\n`);
  const [own = ""] = section.split(/^## /m);
  const found = own.matchAll(/(?:Write|In) `([^`]+)`(?:, below `([^`]+)`)?.*?^ {3}```\w+\n(.*?)^ {3}```/gms);
  return [...found].map(([, path = "", below, code = ""]) => ({
    path,
    below,
    text: code.replaceAll(/^ {3}/gm, ""),
  }));
}

async function follow({ path, below, text }: Step): Promise<void> {
  const file = join(folder, path);
  if (below === undefined) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return;
  }
  const lines = (await readFile(file, "utf8")).split("\n");
  const at = lines.findIndex((line) => line.includes(below));
  expect(at, `${path} has a line with ${below}`).toBeGreaterThanOrEqual(0);
  await writeFile(file, [...lines.slice(0, at + 1), text.trimEnd(), ...lines.slice(at + 1)].join("\n"));
}

/** Starts the server of the copy; the URL, and what the log says until then. */
async function serve(...flags: string[]): Promise<{ url: string; log: () => string }> {
  const args = [DEEP_STACK, "--import", "tsx", "scripts/dev.ts", "serve", "--in-memory", "--kubeconfig", ""];
  const child = spawn(process.execPath, [...args, "--listen", "127.0.0.1:0", ...flags], { cwd: folder });
  server = child;
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += String(chunk);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\/\/\S+/.exec(line) ?? [];
    if (url !== undefined) return { url, log: () => log };
  }
  throw new Error(`it did not start: ${log}`);
}

test("a kind is served, and a flag does what it is for", async () => {
  const { url, log } = await serve("--motto", "all is well");
  expect(log()).toContain('"all is well"');
  const post = async (fixture: string): Promise<{ status: number; body: Record<string, unknown> }> => {
    const body = await readFile(join(folder, FIXTURES, fixture));
    const headers = { "content-type": "application/yaml" };
    const answer = await fetch(url + SHELVES, { method: "POST", headers, body });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const refused = await post("invalid-places.yaml");
  expect(refused.status).toBe(422);
  expect(refused.body["message"]).toBe(
    'Shelf.shop.example.com "oak" is invalid: places: Invalid value: -1: must be greater than 0',
  );
  expect((await post("valid.yaml")).body).toMatchObject({ kind: "Shelf", places: 12 });
  const discovery = await (await fetch(`${url}/apis/shop.example.com/v1`)).json();
  expect(discovery).toMatchObject({ resources: [{ name: "shelves", kind: "Shelf", namespaced: true }] });
  const explained = await (await fetch(`${url}/openapi/v3/apis/shop.example.com/v1`)).text();
  expect(explained).toContain("How much it holds.");
});
