// npm run readme: regenerates the tables of commands and flags in the README.
import { readFile, writeFile } from "node:fs/promises";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import { withTables } from "./readme-tables.ts";

const path = packageFile("README.md");
await writeFile(path, withTables(await readFile(path, "utf8")));
