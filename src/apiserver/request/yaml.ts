// YAML bodies as sigs.k8s.io/yaml reads them: the first document, with YAML 1.1's scalars (yes, on, 0o17, dates stay
// text), keys as text, and findings about keys that are given twice.
import { LineCounter, parseAllDocuments, type YAMLError } from "yaml";

export class YamlSyntaxError extends Error {}

export interface DecodedYaml {
  readonly value: unknown;
  /** As go-yaml words them: `line 6: key "a" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Throws YamlSyntaxError, worded as the conversion to JSON that it is part of. */
export function decodeYaml(text: string): DecodedYaml {
  const lineCounter = new LineCounter();
  const [document] = parseAllDocuments(text, {
    version: "1.1",
    merge: true,
    uniqueKeys: true,
    intAsBigInt: true,
    lineCounter,
    customTags: (tags) =>
      tags.filter(
        (tag) =>
          typeof tag === "string" ||
          !["tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:binary"].includes(tag.tag),
      ),
  });
  if (document === undefined || "empty" in document) return { value: null, duplicates: [] };
  const repeated: YAMLError[] = [];
  for (const error of document.errors) {
    if (error.code === "DUPLICATE_KEY") repeated.push(error);
    else throw new YamlSyntaxError(`error converting YAML to JSON: yaml: ${describe(error)}`);
  }
  document.errors.length = 0;
  return {
    value: plainNumbers(document.toJS()),
    duplicates: repeated.map((error) => describeDuplicate(error, text)),
  };
}

function describe(error: YAMLError): string {
  const line = error.linePos?.[0].line ?? 1;
  if (error.code === "BLOCK_AS_IMPLICIT_KEY") return "mapping values are not allowed in this context";
  if (error.code === "BAD_ALIAS") return `unknown anchor '${error.message}' referenced`;
  if (/flow (map|seq)|end of (flow|the document)/i.test(error.message) || error.code === "MISSING_CHAR") {
    return `line ${line}: did not find expected ',' or '}'`;
  }
  return `line ${line}: ${error.message.split("\n")[0]?.replace(/ at line .*$/, "")}`;
}

function describeDuplicate(error: YAMLError, text: string): string {
  const line = error.linePos?.[0].line ?? 1;
  const key = /^["']?([^"':\s]*)/.exec(text.slice(error.pos[0]))?.[1] ?? "";
  return `line ${line}: key ${JSON.stringify(key)} already set in map`;
}

/** Integers that a double holds exactly become numbers again; the others stay bigint. */
function plainNumbers(value: unknown): unknown {
  if (typeof value === "bigint") {
    return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER)
      ? Number(value)
      : value;
  }
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainNumbers(item)]));
}
