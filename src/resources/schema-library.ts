// The published types of the built-in kinds, from schemas/<group>/<version>/*.yaml. Reading the files is cheap and
// parsing them is not, so a file is only searched for where each definition begins, and a definition is parsed when
// somebody asks for it. For this each definition stands at two spaces, with a blank line or the end behind it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { isObject } from "../meta/json.ts";
import type { JsonSchema } from "../schema/schema-node.ts";

/** The folder is the same from src/resources and from dist/resources. */
const SCHEMAS = fileURLToPath(new URL("../../schemas", import.meta.url));
const REF_PREFIX = "#/components/schemas/";
const FIRST_LINE = /^definitions:$/m;
const DEFINITION_LINE = /^ {2}([A-Za-z][\w.-]*):$/gm;

/** The reference to a definition by its OpenAPI name. */
export const schemaRef = (name: string): JsonSchema => ({ $ref: REF_PREFIX + name });

export class SchemaLibrary {
  readonly #sources = new Map<string, string>();
  readonly #parsed = new Map<string, JsonSchema>();

  constructor(folder: string = SCHEMAS) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith(".yaml")) continue;
      this.#index(readFileSync(join(entry.parentPath, entry.name), "utf8"));
    }
  }

  /** The OpenAPI names of all definitions. */
  get names(): readonly string[] {
    return [...this.#sources.keys()];
  }

  /** The definition of that name; undefined when there is none. Shared: it must not be changed. */
  definition(name: string): JsonSchema | undefined {
    const known = this.#parsed.get(name);
    const source = this.#sources.get(name);
    if (known !== undefined || source === undefined) return known;
    const parsed: unknown = parse(source);
    if (!isObject(parsed)) throw new Error(`the definition ${name} is no object`);
    this.#parsed.set(name, parsed);
    return parsed;
  }

  /** What a $ref of a built-in schema points to; for compileSchema. */
  readonly resolve = (ref: string): JsonSchema => {
    const name = ref.startsWith(REF_PREFIX) ? ref.slice(REF_PREFIX.length) : ref;
    const found = this.definition(name);
    if (found === undefined) throw new Error(`no schema is called ${name}`);
    return found;
  };

  /** Files of another form (CustomResourceDefinition manifests) are passed over. */
  #index(text: string): void {
    const head = FIRST_LINE.exec(text.slice(0, 400));
    if (head === null) return;
    const starts = [...text.matchAll(DEFINITION_LINE)];
    starts.forEach((match, position) => {
      const from = match.index + match[0].length + 1;
      this.#sources.set(match[1] ?? "", text.slice(from, starts[position + 1]?.index ?? text.length));
    });
  }
}

let shared: SchemaLibrary | undefined;

/** The library of the schemas that Egret ships; read once. */
export function schemaLibrary(): SchemaLibrary {
  shared ??= new SchemaLibrary();
  return shared;
}
