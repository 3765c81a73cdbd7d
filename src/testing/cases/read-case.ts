// Reads a case file and validates it before it runs.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { StatusError } from "../../apimachinery/meta/status.ts";
import { systemReason } from "../../apimachinery/meta/system-reason.ts";
import { decodeDocuments, isUnreadable, strictValue } from "../../apimachinery/yaml/decode-yaml.ts";
import { compileCondition } from "../../features/waits/wait-for.ts";
import { soleName } from "../../features/waits/watched-query.ts";
import { StartError } from "../../server/errors.ts";
import { findingsOf } from "./findings.ts";
import { CASE, type Case, type Queries } from "./format.ts";

/** An invalid case file; the message has one line per error. */
export class CaseError extends StartError {
  override readonly name = "CaseError";
}

export interface ReadCase extends Case {
  readonly name: string;
  readonly file: string;
}

/** Throws CaseError. */
export async function readCase(file: string): Promise<ReadCase> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new CaseError(`${file} cannot be read${systemReason(cause)}`, { cause });
  });
  return parseCase(file, text);
}

/** Throws CaseError. */
export function parseCase(file: string, text: string): ReadCase {
  const value = documentOf(file, text);
  const wrong = findingsOf(CASE, value);
  if (wrong.length > 0) throw new CaseError(inLines(file, wrong));
  const read = value as Case; // validated by the schema
  const meaningless = [...conditionsOf(read)].flatMap(([at, condition, queries]) =>
    complaintsOf(condition, queries).map((complaint) => `${at}: ${complaint}`),
  );
  if (meaningless.length > 0) throw new CaseError(inLines(file, meaningless));
  return { name: basename(file).replace(/\.(yaml|yml|json)$/, ""), ...read, file };
}

function documentOf(file: string, text: string): unknown {
  try {
    const documents = [...decodeDocuments(text)].map(strictValue).filter((value) => value !== null);
    if (documents.length === 1) return documents[0];
    throw new CaseError(`${file} holds ${documents.length} documents, and a case is one`);
  } catch (error) {
    throw isUnreadable(error) ? new CaseError(`${file}: ${error.message}`) : error;
  }
}

const inLines = (file: string, complaints: readonly string[]): string =>
  complaints.length === 1
    ? `${file}: ${complaints[0]}`
    : `${file}: ${complaints.length} things are wrong\n${complaints.map((one) => `  ${one}`).join("\n")}`;

/** All CEL expressions with their paths in the file. */
function* conditionsOf({ steps = [], expect = [] }: Case): Generator<[string, string, Queries]> {
  for (const [number, step] of steps.entries()) {
    const { do: actions = [], expect: facts = [] } = step;
    for (const [index, action] of actions.entries())
      if ("until" in action) yield [`steps[${number}].do[${index}].until`, action.until, action];
    for (const [index, fact] of facts.entries())
      if ("cel" in fact) yield [`steps[${number}].expect[${index}].cel`, fact.cel, fact];
  }
  for (const [index, fact] of expect.entries())
    if ("cel" in fact) yield [`expect[${index}].cel`, fact.cel, fact];
}

/** The queries by the variable names of the condition. */
export const namedQueries = ({ query, queries = {} }: Queries): NonNullable<Queries["queries"]> =>
  query === undefined ? queries : { [soleName(query)]: query };

function complaintsOf(condition: string, queries: Queries): string[] {
  if ((queries.query === undefined) === (queries.queries === undefined)) {
    return ["say beside it what to look at: either query or queries"];
  }
  try {
    compileCondition(condition, Object.keys(namedQueries(queries)));
    return [];
  } catch (error) {
    if (error instanceof StatusError) return [error.message];
    throw error;
  }
}
