// The amount of code that a start reads before the first answer, which determines its time and the idle memory. The bench
// measures the times themselves.
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OWN_LATE } from "../../scripts/loaded-late.ts";
import { withSharedShapes } from "../../scripts/shared-shapes.ts";
import { packageFile } from "../../src/apimachinery/meta/package-files.ts";
import { startEgret } from "../support/egret-process.ts";
import { httpGet } from "../support/sockets/raw-http.ts";

/** Each megabyte of code costs a start several milliseconds. */
const CODE_BYTES_MAX = 2_890_000;
const CACHE_BYTES_MAX = 3_000_000;
/** Of all modules of ours that are in the bundle. */
const EVALUATED_MAX = 675;

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

let folder: string;
let files: string[];
let evaluated: Set<string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-start-code-"));
  const env = { NODE_V8_COVERAGE: join(folder, "coverage") };
  await using egret = await startEgret(["--data-dir", join(folder, "data"), "--kubeconfig", ""], { env });
  const { status, body } = await httpGet(`${egret.url}/apis/k8s.ovn.org/v1/egressips`);
  expect([status, JSON.parse(body).kind]).toEqual([200, "EgressIPList"]);
  await egret.stop();
  const [name = ""] = await readdir(env.NODE_V8_COVERAGE);
  const { result }: Coverage = JSON.parse(await readFile(join(env.NODE_V8_COVERAGE, name), "utf8"));
  files = result.map(({ url }) => url);
  const functions = result.flatMap((script) => script.functions);
  const ran = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
  // The bundle names the function around a module as the module's file.
  evaluated = new Set(ran.map(({ functionName }) => functionName).filter((fn) => fn.startsWith("src/")));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("no literal begins with a spread that gives each object a hidden class of its own", async () => {
  const code = await readFile(packageFile("dist", "egret.cjs"), "utf8");
  expect(withSharedShapes(code) === code).toBe(true);
});

test("no file that most starts do without is read", () => {
  expect(files.some((file) => file.endsWith("/dist/egret.cjs"))).toBe(true);
  expect(files.filter((file) => /\/dist\/(?:late\/|apart)|\/node_modules\//.test(file))).toEqual([]);
});

test("no module is evaluated that waits until it is asked for", () => {
  expect(evaluated).toContain("src/server/server.ts");
  expect(OWN_LATE.filter((path) => evaluated.has(path))).toEqual([]);
  expect(evaluated.size).toBeLessThan(EVALUATED_MAX);
});

test("the code, and what V8 has made of it, are no larger than they have to be", async () => {
  const sizes = new Map<string, number>();
  for (const name of await readdir(packageFile("dist"))) {
    if (name.startsWith("egret.cjs")) sizes.set(name, (await stat(packageFile("dist", name))).size);
  }
  expect(sizes.get("egret.cjs")).toBeLessThan(CODE_BYTES_MAX);
  const caches = [...sizes].filter(([name]) => name.endsWith(".cache"));
  expect(caches).not.toEqual([]);
  for (const [, size] of caches) expect(size).toBeLessThan(CACHE_BYTES_MAX);
});
