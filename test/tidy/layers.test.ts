// Layering: imports point only downward. The tables below list which package (folder of src) may import which other, and
// which may import a third-party package.
import { describe, expect, test } from "vitest";
import { importsOf, type SourceFile, sourceFiles, withoutComments } from "./source-files.ts";

/**
 * A package may import itself and the packages listed. Files directly in src compose the packages and may import all of
 * them.
 */
const ALLOWED_ROOMS: Readonly<Record<string, readonly string[]>> = {
  go: [],
  meta: ["go"],
  launch: [],
  storage: ["meta"],
  yaml: ["go", "meta"],
  cel: ["go", "meta"],
  schema: ["go", "meta", "yaml", "cel"],
  patch: ["go", "meta", "schema"],
  workers: ["meta"],
  registry: ["go", "meta", "storage", "schema", "patch", "workers"],
  quota: ["go", "meta"],
  admission: ["go", "meta", "storage", "cel", "schema", "patch", "registry", "quota"],
  resources: ["go", "meta", "cel", "schema", "registry", "admission", "workers", "quota"],
  crd: ["go", "meta", "storage", "schema", "patch", "registry", "resources"],
  apiserver: ["go", "meta", "storage", "schema", "patch", "registry", "workers", "yaml"],
  http: ["go", "meta", "apiserver", "workers", "yaml"],
  client: ["meta", "registry"],
  verdict: ["meta"],
  sources: ["go", "meta", "yaml", "registry", "resources", "apiserver"],
  // Browsers load it, and it uses the server over HTTP. From verdict and control it imports only the types of answers.
  ui: ["go", "meta", "verdict", "control"],
  controllers: ["go", "meta", "client", "verdict", "quota"],
  control: [
    "go",
    "meta",
    "storage",
    "cel",
    "schema",
    "patch",
    "registry",
    "apiserver",
    "client",
    "workers",
    "yaml",
    "verdict",
    "sources",
  ],
};

/**
 * Packages that compose the others, as the files directly in src do: they may import all, and no other package may import
 * them.
 */
const TOP_ROOMS = ["server", "cases", "commands", "envtest", "testing"];

/** The part of storage that other packages may import: the contract, not the engines. */
const STORAGE_CONTRACT = ["src/storage/store.ts", "src/storage/layout.ts"];

/** Packages that only these files use; any other package may be used anywhere. */
const PACKAGE_USERS: readonly { readonly packages: RegExp; readonly users: RegExp }[] = [
  { packages: /^(level|abstract-level|classic-level|memory-level)$/, users: /^src\/storage\/level\// },
  { packages: /^(fastify|@fastify\/.*|ws|node:https?|node:http2)$/, users: /^src\/http\// },
  { packages: /^protobufjs(\/.*)?$/, users: /^src\/(apiserver\/protobuf|storage\/etcd)\// },
  { packages: /^@grpc\/.*$/, users: /^src\/storage\/etcd\// },
  { packages: /^ip-num$/, users: /^src\/meta\/ip\.ts$/ },
  { packages: /^node:timers(\/promises)?$/, users: /^src\/meta\/clock\.ts$/ },
];

/** The only files that read the time, wait or draw random numbers; all others get a Clock and Ids. */
const TIME_AND_CHANCE = ["src/meta/clock.ts", "src/meta/ids.ts", "src/ui/frame/browser-clock.ts"];
const READS_TIME_OR_CHANCE =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()|(?<!new )\bDate\(|\bset(?:Timeout|Interval)\b|\bAbortSignal\.timeout\b|\bperformance\.|\bhrtime\b|\bMath\.random\b|\brandom(?:Bytes|UUID|Int|Fill|FillSync)\b|\bgetRandomValues\b/g;

const files = sourceFiles("src");

/** Returns the package of a path, or undefined for a file directly in src. */
const roomOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1];

function roomBreaches(file: SourceFile): string[] {
  const room = roomOf(file.path);
  if (room === undefined || TOP_ROOMS.includes(room)) return [];
  const allowed = ALLOWED_ROOMS[room];
  if (!allowed) return [`${file.path}: the room ${room} is not in the table`];
  return importsOf(file)
    .filter((target) => target.startsWith("src/") && roomOf(target) !== room)
    .filter((target) => {
      const targetRoom = roomOf(target);
      if (targetRoom === undefined || !allowed.includes(targetRoom)) return true;
      return targetRoom === "storage" && !STORAGE_CONTRACT.includes(target);
    })
    .map((target) => `${file.path} imports ${target}`);
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
    expect(files.flatMap(roomBreaches)).toEqual([]);
  });

  test("imports certain packages in one place only", () => {
    expect(files.flatMap(packageBreaches)).toEqual([]);
  });

  test("sends no code of the server to browsers", () => {
    const code = /^import (?!type\b)[^;]*?from "[./]+\/(?:verdict|control)\//gm;
    const sent = files
      .filter(({ path }) => roomOf(path) === "ui")
      .flatMap(({ path, text }) => (text.match(code) ?? []).map((found) => `${path}: ${found}`));
    expect(sent).toEqual([]);
  });

  test("reads time and chance in meta/clock.ts and meta/ids.ts only", () => {
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

  const rooms: [rule: string, file: SourceFile, breaches: number][] = [
    ["upward", file("src/meta/a.ts", 'import { b } from "../http/b.ts";'), 1],
    ["as a type", file("src/meta/a.ts", 'import type { B } from "../http/b.ts";'), 1],
    ["over several lines", file("src/meta/a.ts", 'import {\n  b,\n} from "../http/b.ts";'), 1],
    ["as a re-export", file("src/meta/a.ts", 'export { b } from "../http/b.ts";'), 1],
    ["when loaded later", file("src/meta/a.ts", 'const b = await import("../http/b.ts");'), 1],
    ["of the root", file("src/meta/a.ts", 'import "../server.ts";'), 1],
    ["of what puts rooms together", file("src/http/a.ts", 'import "../server/a.ts";'), 1],
    ["but not by it", file("src/server/a.ts", 'import "../storage/level/a.ts";'), 0],
    ["in a room nobody planned", file("src/misc/a.ts", ""), 1],
    ["of a storage engine", file("src/registry/a.ts", 'import { a } from "../storage/level/a.ts";'), 1],
    ["but not of the contract", file("src/registry/a.ts", 'import { a } from "../storage/store.ts";'), 0],
    ["but not inside a room", file("src/http/sub/a.ts", 'import { b } from "../b.ts";'), 0],
    ["but not beside the rooms", file("src/server/server.ts", 'import { b } from "./http/b.ts";'), 0],
  ];
  test.each(rooms)("%s", (_rule, source, breaches) => {
    expect(roomBreaches(source)).toHaveLength(breaches);
  });

  test("of packages", () => {
    const text =
      'import fastify from "fastify";\nimport { IPv4 } from "ip-num";\nimport { parse } from "yaml";';
    expect(packageBreaches(file("src/apiserver/a.ts", text))).toHaveLength(2);
    expect(packageBreaches(file("src/http/a.ts", text))).toHaveLength(1);
  });

  test.each([
    "Date.now()",
    "new Date()",
    "setTimeout(f, 1)",
    "randomBytes(4)",
    "Math.random()",
    "AbortSignal.timeout(5)",
  ])("of time and chance: %s", (code) => {
    expect(timeBreaches(file("src/http/a.ts", `const a = ${code};`))).toHaveLength(1);
  });

  test.each(["new Date(0)", 'f("//"); // Date.now() is not called', "clock.now()", 'createHash("sha512")'])(
    "but not %s",
    (code) => {
      expect(timeBreaches(file("src/http/a.ts", code))).toEqual([]);
    },
  );
});
