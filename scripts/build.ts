// npm run build, after the types: what is shipped, step by step. Each step is a script that says what it makes.
import { spawnSync } from "node:child_process";
import { cp } from "node:fs/promises";
import process from "node:process";
import { DEEP_STACK } from "../src/launch/node-flags.ts";
import { packageFile } from "../src/meta/package-files.ts";

const STEPS = ["pack-schemas.ts", "pack-first-state.ts", "bundle.ts", "cache-code.ts"];

for (const step of STEPS) run(step);
run("cache-code.ts", [DEEP_STACK]); // as `npm start` starts it

function run(step: string, flags: readonly string[] = []): void {
  const args = [...flags, "--import", "tsx", packageFile("scripts", step)];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

// Declarations are not compiled, and stand beside what is.
await cp(packageFile("openapi", "types"), packageFile("dist", "openapi", "types"), { recursive: true });
