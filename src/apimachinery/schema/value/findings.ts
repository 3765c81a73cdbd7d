// Findings of a walk over a value, and the number of checks that matched: of several alternatives the best match is
// reported. Duplicate findings are dropped.
import { FINDINGS_CHARS_MAX, type FieldError } from "../../meta/field-error.ts";
import type { ValueSchema } from "./value-schema.ts";

export class Findings {
  readonly errors: FieldError[] = [];
  /** Number of matches, counted as upstream does to choose among failed alternatives. */
  matches = 0;
  /** Created with the first finding: most walks are over branches without any. */
  #seen: Set<string> | undefined;
  #chars = 0;

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  /** Findings beyond the size limit are dropped. */
  add(error: FieldError): void {
    if (this.#chars > FINDINGS_CHARS_MAX) return;
    const text = `${error.field}\n${error.message}`;
    this.#seen ??= new Set();
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.#chars += text.length;
    this.errors.push(error);
  }

  merge(other: Findings): void {
    for (const error of other.errors) this.add(error);
    this.matches += other.matches;
  }

  /** Drops all findings after the first count errors. */
  truncate(count: number): void {
    for (const error of this.errors.splice(count)) {
      const text = `${error.field}\n${error.message}`;
      this.#seen?.delete(text);
      this.#chars -= text.length;
    }
  }
}

// Combines the findings of alternatives (several schemas for one value).

export interface BranchWalk {
  /** Validates the value by one of the schemas. */
  check(branch: ValueSchema): Findings;
  /** Quick check that the value does not fit; false is inconclusive. */
  isMisfit(branch: ValueSchema): boolean;
  /** Reports that the alternatives as a whole are not satisfied. */
  complain(text: string): void;
}

export const hasAlternatives = ({ allOf, anyOf, oneOf, not }: ValueSchema): boolean =>
  allOf.length > 0 || anyOf.length > 0 || oneOf.length > 0 || not !== undefined;

/** allOf, anyOf, oneOf and not. Of failed alternatives the findings of the best match are kept. */
export function checkAlternatives(schema: ValueSchema, findings: Findings, walk: BranchWalk): void {
  checkAnyOf(schema.anyOf, findings, walk);
  checkOneOf(schema.oneOf, findings, walk);
  checkAllOf(schema.allOf, findings, walk);
  const { not } = schema;
  if (not !== undefined && walk.check(not).isValid) walk.complain("not validate the schema (not)");
  findings.matches++;
}

function checkAnyOf(branches: readonly ValueSchema[], findings: Findings, walk: BranchWalk): void {
  if (branches.length === 0) return;
  const { firstValid, best } = tryEach(branches, walk, { stopsAtFirst: true });
  if (firstValid === undefined) walk.complain("validate at least one schema (anyOf)");
  const kept = firstValid ?? best;
  if (kept !== undefined) findings.merge(kept);
}

function checkOneOf(branches: readonly ValueSchema[], findings: Findings, walk: BranchWalk): void {
  if (branches.length === 0) return;
  const { firstValid, best, validCount } = tryEach(branches, walk, { stopsAtFirst: false });
  if (validCount === 1 && firstValid !== undefined) {
    findings.merge(firstValid);
    return;
  }
  const count = validCount === 0 ? "Found none valid" : `Found ${validCount} valid alternatives`;
  walk.complain(`validate one and only one schema (oneOf). ${count}`);
  if (validCount === 0 && best !== undefined) findings.merge(best);
}

function checkAllOf(
  branches: readonly ValueSchema[],
  findings: Findings,
  { check, complain }: BranchWalk,
): void {
  if (branches.length === 0) return;
  const results = branches.map(check);
  for (const result of results) findings.merge(result);
  const validCount = results.filter(({ isValid }) => isValid).length;
  if (validCount === branches.length) return;
  complain(`validate all the schemas (allOf)${validCount === 0 ? ". None validated" : ""}`);
}

interface Tried {
  readonly firstValid: Findings | undefined;
  /** Findings of the best match, where none is valid. */
  readonly best: Findings | undefined;
  readonly validCount: number;
}

/** Misfits are fully validated only where no alternative fits, to find the best match. */
function tryEach(
  branches: readonly ValueSchema[],
  { check, isMisfit }: BranchWalk,
  { stopsAtFirst }: { stopsAtFirst: boolean },
): Tried {
  const failed = new Map<ValueSchema, Findings>();
  let firstValid: Findings | undefined;
  let validCount = 0;
  for (const branch of branches) {
    if (isMisfit(branch)) continue;
    const result = check(branch);
    if (!result.isValid) {
      failed.set(branch, result);
      continue;
    }
    validCount++;
    firstValid ??= result;
    if (stopsAtFirst) break;
  }
  const best =
    validCount === 0 ? bestOf(branches.map((branch) => failed.get(branch) ?? check(branch))) : undefined;
  return { firstValid, best, validCount };
}

function bestOf(results: readonly Findings[]): Findings | undefined {
  let best: Findings | undefined;
  for (const result of results) if (best === undefined || result.matches > best.matches) best = result;
  return best;
}
