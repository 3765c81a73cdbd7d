// Locates files that the package ships beside its code. The compiled code in dist/ may be many files or a few bundled
// ones. So the root of the package is searched upwards instead of by a fixed number of folders.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The path of a shipped file or folder: packageFile("schemas", "protobuf"). It need not exist. */
export function packageFile(...names: readonly string[]): string {
  return join(packageRoot(), ...names);
}

/** The path of a build output, for built code; undefined for code that runs from src/. */
export function builtFile(name: string): string | undefined {
  return import.meta.url.endsWith(".ts") ? undefined : packageFile("dist", name);
}

let root: string | undefined;

function packageRoot(): string {
  root ??= rootAbove(dirname(fileURLToPath(import.meta.url)));
  return root;
}

function rootAbove(folder: string): string {
  if (existsSync(join(folder, "schemas"))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error("the files of the package are not where they should be");
  return rootAbove(above);
}
