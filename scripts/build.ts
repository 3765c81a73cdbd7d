// npm run build, after the types: what is shipped, step by step. Each step is a script that says what it makes.
import { spawnSync } from "node:child_process";
import { cp } from "node:fs/promises";
import process from "node:process";
import { packageFile } from "../src/meta/package-files.ts";

const STEPS = ["pack-schemas.ts", "pack-first-state.ts", "bundle.ts", "cache-code.ts"];

for (const step of STEPS) {
  const script = packageFile("scripts", step);
  const { status } = spawnSync(process.execPath, ["--import", "tsx", script], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

// Declarations are not compiled, and stand beside what is.
await cp(packageFile("openapi", "types"), packageFile("dist", "openapi", "types"), { recursive: true });
