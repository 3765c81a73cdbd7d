// Part of the build: starts a server from the bundled code, and stores V8's code cache next to it.
import { writeFile } from "node:fs/promises";
import { compiledByStart } from "../src/compile.ts";
import { shippedCacheFile } from "../src/server/launch/cached-code.ts";
import { DEEP_STACK, DEEP_STACK_NAME } from "../src/server/launch/node-flags.ts";
import { bundledCode } from "./bundle-names.ts";

const built = bundledCode();
// The other flags only load this script and do not affect V8.
const flags = process.execArgv.includes(DEEP_STACK) ? DEEP_STACK_NAME : "";
await writeFile(shippedCacheFile(built, flags), await compiledByStart(built));
