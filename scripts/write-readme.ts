// npm run readme: regenerates the lists of commands and flags in src/cli/README.md.
import { readFile, writeFile } from "node:fs/promises";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import { REFERENCE, withLists } from "./readme-lists.ts";

const path = packageFile(REFERENCE);
await writeFile(path, withLists(await readFile(path, "utf8")));
