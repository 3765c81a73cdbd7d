// Imports go only downward: the order of the packages and the users of third-party packages are data here.
import { describe, expect, test } from "vitest";
import { importsOf, type SourceFile, sourceFiles, withoutComments } from "./source-files.ts";

/**
 * The packages from top to bottom: each may import itself and those after it, types included. The entry points of processes
 * beside them (src/main.ts and the like) may import all, and nothing imports them.
 */
const PACKAGES = [
  "cli",
  "ui",
  "testing",
  "server",
  "features",
  "ovn",
  "cluster",
  "kube",
  "controller",
  "apiserver",
  "storage",
  "apimachinery",
];

/** Folders of a package from the bottom up: each may import itself and those named. Others of the package may import all. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  "apimachinery/go": [],
  "apimachinery/meta": ["go", "json", "scheduling"],
  "apimachinery/json": ["go", "meta", "scheduling"],
  "apimachinery/scheduling": ["go", "meta", "json"],
  "apimachinery/yaml": ["go", "meta", "json"],
  "apimachinery/workers": ["meta", "json"],
  "apimachinery/cel": ["go", "meta", "json"],
  "apimachinery/schema": ["go", "meta", "json", "scheduling", "yaml", "cel"],
  "apimachinery/patch": ["go", "meta", "json", "scheduling", "schema"],
  "apiserver/registry": [],
  "apiserver/admission": ["registry"],
  "apiserver/apiextensions": ["registry"],
  "apiserver/encryption": [],
  "apiserver/authorization": ["registry", "endpoints"],
  "apiserver/layout": ["registry", "encryption", "endpoints"],
  "apiserver/endpoints": ["registry", "authorization", "layout"],
  "apiserver/authentication": ["authorization", "endpoints", "http"],
  "apiserver/http": ["authentication", "authorization", "endpoints"],
};

/** Browsers are sent it, and know the server over HTTP: of these packages it has the types of responses alone. */
const TYPES_FOR_BROWSERS = ["controller", "ovn", "features"];
const PACKAGES_OF_BROWSERS = [...TYPES_FOR_BROWSERS, "apimachinery"];

/** What the packages above see of storage: the contract, not the backends. The server opens the backends. */
const STORAGE_CONTRACT = ["src/storage/store.ts", "src/storage/layout.ts"];
const OPENS_STORAGE = ["cli", "server", "testing"];

/** Packages that only these files use; any other package may be used anywhere. */
const PACKAGE_USERS: readonly { readonly packages: RegExp; readonly users: RegExp }[] = [
  { packages: /^(level|abstract-level|classic-level|memory-level)$/, users: /^src\/storage\/level\// },
  {
    packages: /^(fastify|@fastify\/.*|ws|node:https?|node:http2)$/,
    users: /^src\/apiserver\/(http|authentication)\//,
  },
  { packages: /^protobufjs(\/.*)?$/, users: /^src\/(apiserver\/endpoints\/protobuf|storage\/etcd)\// },
  { packages: /^@grpc\/.*$/, users: /^src\/storage\/etcd\// },
  { packages: /^ip-num$/, users: /^src\/apimachinery\/meta\/ip\.ts$/ },
  { packages: /^node:timers(\/promises)?$/, users: /^src\/apimachinery\/meta\/clock\.ts$/ },
];

/** The only files that read the time, wait or draw random numbers; all others get a Clock and Ids. */
const TIME_AND_CHANCE = [
  "src/apimachinery/meta/clock.ts",
  "src/apimachinery/meta/ids.ts",
  "src/ui/frame/browser-clock.ts",
];
const READS_TIME_OR_CHANCE =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()|(?<!new )\bDate\(|\bset(?:Timeout|Interval)\b|\bAbortSignal\.timeout\b|\bperformance\.|\bhrtime\b|\bMath\.random\b|\brandom(?:Bytes|UUID|Int|Fill|FillSync)\b|\bgetRandomValues\b/g;

const files = sourceFiles("src");

/** The package of a path, or undefined for an entry point beside the packages. */
const packageOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1];
const folderOf = (path: string): string | undefined => /^src\/([^/]+\/[^/]+)\//.exec(path)?.[1];

/** Why the file may not import the target, or undefined. */
function breach(file: string, target: string): string | undefined {
  const [from, to] = [packageOf(file), packageOf(target)];
  if (from === undefined) return undefined;
  if (to === undefined) return "an entry point";
  if (from === to) return folderBreach(file, target);
  if (PACKAGES.indexOf(to) < PACKAGES.indexOf(from)) return "upward";
  if (from === "ui" && !PACKAGES_OF_BROWSERS.includes(to)) return "not for browsers";
  const isContract = to !== "storage" || STORAGE_CONTRACT.includes(target) || OPENS_STORAGE.includes(from);
  return isContract ? undefined : "a storage backend";
}

function folderBreach(file: string, target: string): string | undefined {
  const [from, to] = [folderOf(file), folderOf(target)];
  if (from === to || from === undefined) return undefined;
  const allowed = FOLDERS[from];
  if (allowed === undefined) return undefined;
  return to !== undefined && allowed.includes(to.split("/")[1] ?? "")
    ? undefined
    : "upward inside the package";
}

function importBreaches(file: SourceFile): string[] {
  const from = packageOf(file.path);
  if (from !== undefined && !PACKAGES.includes(from)) return [`${file.path}: ${from} is not in the list`];
  return importsOf(file)
    .filter((target) => target.startsWith("src/"))
    .flatMap((target) => {
      const reason = breach(file.path, target);
      return reason === undefined ? [] : [`${file.path} imports ${target}: ${reason}`];
    });
}

function packageBreaches(file: SourceFile): string[] {
  return importsOf(file)
    .filter((target) =>
      PACKAGE_USERS.some(({ packages, users }) => packages.test(target) && !users.test(file.path)),
    )
    .map((target) => `${file.path} imports ${target}`);
}

function timeBreaches(file: SourceFile): string[] {
  if (TIME_AND_CHANCE.includes(file.path)) return [];
  const found = withoutComments(file.text).match(READS_TIME_OR_CHANCE) ?? [];
  return [...new Set(found)].map((word) => `${file.path} uses ${word}`);
}

describe("src", () => {
  test("is read", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(files.length);
  });

  test("imports only downward, and of storage only its contract", () => {
    expect(files.flatMap(importBreaches)).toEqual([]);
  });

  test("imports certain packages in one place only", () => {
    expect(files.flatMap(packageBreaches)).toEqual([]);
  });

  test("sends no code of the server to browsers", () => {
    const code = new RegExp(
      String.raw`^import (?!type\b)[^;]*?from "[./]+/(?:${TYPES_FOR_BROWSERS.join("|")})/`,
      "gm",
    );
    const sent = files
      .filter(({ path }) => packageOf(path) === "ui")
      .flatMap(({ path, text }) => (text.match(code) ?? []).map((found) => `${path}: ${found}`));
    expect(sent).toEqual([]);
  });

  test("reads time and chance in apimachinery/meta/clock.ts and apimachinery/meta/ids.ts only", () => {
    expect(files.flatMap(timeBreaches)).toEqual([]);
  });

  test("imports nothing from outside src but packages", () => {
    const outside = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => /^(\.\.|test|scripts)(\/|$)/.test(target))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(outside).toEqual([]);
  });
});

describe("a breach is found", () => {
  const file = (path: string, text: string): SourceFile => ({ path, text });

  const imports: [rule: string, file: SourceFile, breaches: number][] = [
    ["upward", file("src/kube/a.ts", 'import { b } from "../cluster/b.ts";'), 1],
    ["but not downward", file("src/cluster/a.ts", 'import { b } from "../kube/b.ts";'), 0],
    ["as a type", file("src/kube/a.ts", 'import type { B } from "../ovn/b.ts";'), 1],
    ["over several lines", file("src/kube/a.ts", 'import {\n  b,\n} from "../ovn/b.ts";'), 1],
    ["as a re-export", file("src/kube/a.ts", 'export { b } from "../ovn/b.ts";'), 1],
    ["when loaded later", file("src/kube/a.ts", 'const b = await import("../ovn/b.ts");'), 1],
    ["of an entry point", file("src/server/a.ts", 'import "../main.ts";'), 1],
    ["in a package that is not planned", file("src/misc/a.ts", ""), 1],
    ["of a storage backend", file("src/kube/a.ts", 'import { a } from "../storage/level/a.ts";'), 1],
    ["but not by the server", file("src/server/a.ts", 'import "../storage/level/a.ts";'), 0],
    ["but not of the contract", file("src/kube/a.ts", 'import { a } from "../storage/store.ts";'), 0],
    ["of the server by the web UI", file("src/ui/a.ts", 'import { a } from "../server/a.ts";'), 1],
    ["upward in a package", file("src/apiserver/registry/a.ts", 'import "../http/b.ts";'), 1],
    ["but not inside a folder", file("src/apiserver/http/sub/a.ts", 'import { b } from "../b.ts";'), 0],
    ["but not by an entry point", file("src/main.ts", 'import { b } from "./cli/b.ts";'), 0],
  ];
  test.each(imports)("%s", (_rule, source, breaches) => {
    expect(importBreaches(source)).toHaveLength(breaches);
  });

  test("of packages", () => {
    const text =
      'import fastify from "fastify";\nimport { IPv4 } from "ip-num";\nimport { parse } from "yaml";';
    expect(packageBreaches(file("src/kube/a.ts", text))).toHaveLength(2);
    expect(packageBreaches(file("src/apiserver/http/a.ts", text))).toHaveLength(1);
  });

  test.each([
    "Date.now()",
    "new Date()",
    "setTimeout(f, 1)",
    "randomBytes(4)",
    "Math.random()",
    "AbortSignal.timeout(5)",
  ])("of time and chance: %s", (code) => {
    expect(timeBreaches(file("src/apiserver/http/a.ts", `const a = ${code};`))).toHaveLength(1);
  });

  test.each(["new Date(0)", 'f("//"); // Date.now() is not called', "clock.now()", 'createHash("sha512")'])(
    "but not %s",
    (code) => {
      expect(timeBreaches(file("src/apiserver/http/a.ts", code))).toEqual([]);
    },
  );
});
