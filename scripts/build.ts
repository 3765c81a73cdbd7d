// npm run build: the shipped files, step by step. A step is skipped if none of its inputs has changed since it ran, so
// that `npm start` starts soon.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import { DEEP_STACK } from "../src/server/launch/node-flags.ts";

interface Step {
  readonly name: string;
  /** Files and folders of the package that it reads. */
  readonly reads: readonly string[];
  /** Files below dist/ that it writes: if one is missing, the step runs. */
  readonly makes: readonly string[];
  run(): void | Promise<void>;
}

const CODE = ["src", "scripts", "package.json", "package-lock.json"];

const STEPS: readonly Step[] = [
  {
    name: "types",
    reads: ["src", "tsconfig.json", "package-lock.json"],
    makes: ["types/server/server.d.ts"],
    run: () =>
      runNode([packageFile("node_modules", "typescript", "bin", "tsc"), "-p", packageFile("tsconfig.json")]),
  },
  {
    // Declarations are not compiled, and are next to the compiled files.
    name: "types of kinds",
    reads: ["openapi/types"],
    makes: ["openapi/types"],
    run: () =>
      cp(packageFile("openapi", "types"), packageFile("dist", "openapi", "types"), { recursive: true }),
  },
  {
    name: "schemas",
    reads: [...CODE, "schemas"],
    makes: ["shipped-schemas.json", "bootstrap-policy.json"],
    run: () => runScript("pack-schemas.ts"),
  },
  {
    name: "first state",
    reads: [...CODE, "schemas"],
    makes: ["first-state-ovn-kubernetes-2026.json", "first-policy.json"],
    run: () => runScript("pack-first-state.ts"),
  },
  {
    name: "page",
    reads: ["src/ui", "src/apimachinery", "scripts", "package-lock.json"],
    makes: ["ui/index.html"],
    run: () => runScript("bundle-page.ts"),
  },
  {
    name: "code",
    reads: CODE,
    makes: [
      "main.js",
      "kube-apiserver.js",
      "etcd.js",
      "server.js",
      "testing.js",
      "worker.js",
      "reader.js",
      "THIRD-PARTY-LICENSES",
    ],
    run: () => {
      runScript("bundle.ts");
      runScript("cache-code.ts");
      runScript("cache-code.ts", [DEEP_STACK]); // with the flags of `npm start`
    },
  },
];

const RECORD = packageFile("dist", "built.json");

const done: Record<string, string> = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, "utf8")) : {};
for (const step of STEPS) {
  const digest = digestOf(step.reads);
  const isThere = step.makes.every((name) => existsSync(packageFile("dist", name)));
  if (isThere && done[step.name] === digest) continue;
  await step.run();
  done[step.name] = digest;
  writeFileSync(RECORD, `${JSON.stringify(done, undefined, 2)}\n`);
}

/** Of the contents of the files and of the Node version: V8's code cache is valid for no other. */
function digestOf(paths: readonly string[]): string {
  const hash = createHash("sha256").update(`${process.version} ${process.arch}`);
  for (const path of paths.flatMap(filesBelow).sort()) hash.update(`\0${path}\0`).update(readFileSync(path));
  return hash.digest("hex");
}

function filesBelow(path: string): string[] {
  const full = packageFile(path);
  if (statSync(full).isFile()) return [full];
  const entries = readdirSync(full, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function runScript(script: string, flags: readonly string[] = []): void {
  runNode([...flags, "--import", "tsx", packageFile("scripts", script)]);
}

function runNode(args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
