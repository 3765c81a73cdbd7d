// Part of the build: lets a server start from the bundled code, and keeps what V8 compiled for that beside it.
import { writeFile } from "node:fs/promises";
import { compiledByStart } from "../src/compile.ts";
import { shippedCacheFile } from "../src/launch/cached-code.ts";
import { DEEP_STACK, DEEP_STACK_NAME } from "../src/launch/node-flags.ts";
import { bundledCode } from "./bundle-names.ts";

const built = bundledCode();
// The other flags, by which this script is loaded, are nothing to V8.
const flags = process.execArgv.includes(DEEP_STACK) ? DEEP_STACK_NAME : "";
await writeFile(shippedCacheFile(built, flags), await compiledByStart(built));
