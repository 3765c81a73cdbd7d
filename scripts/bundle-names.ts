// The file names of the build's bundles, and their digest.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import type { BuiltCode } from "../src/server/launch/cached-code.ts";

const DIGEST_LENGTH = 16;

export const BUNDLED_CODE = "egret.cjs";

/** The bundle that is now in dist/. */
export function bundledCode(): BuiltCode {
  const folder = packageFile("dist");
  const digest = createHash("sha256")
    .update(readFileSync(join(folder, BUNDLED_CODE)))
    .digest("hex");
  return { folder, name: BUNDLED_CODE, digest: digest.slice(0, DIGEST_LENGTH) };
}
