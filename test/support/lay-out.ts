// Writes files of a test below a folder.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Writes texts by their relative paths. Returns the folder. */
export async function layOut(
  root: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}
