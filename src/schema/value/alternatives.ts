// Alternatives of a value: how the findings of several schemas for one value become one answer.
import type { Findings } from "./findings.ts";
import type { ValueSchema } from "./value-schema.ts";

export interface BranchWalk {
  /** Checks the value against one of the schemas. */
  check(branch: ValueSchema): Findings;
  /** Notes that the alternatives as a whole are not fulfilled. */
  complain(text: string): void;
}

/** allOf, anyOf, oneOf and not. Of failed alternatives the findings of the one that fitted best are kept. */
export function checkAlternatives(schema: ValueSchema, findings: Findings, walk: BranchWalk): void {
  checkAnyOf(schema.anyOf, findings, walk);
  checkOneOf(schema.oneOf, findings, walk);
  checkAllOf(schema.allOf, findings, walk);
  const { not } = schema;
  if (not !== undefined && walk.check(not).isValid) walk.complain("not validate the schema (not)");
  findings.matches++;
}

function checkAnyOf(
  branches: readonly ValueSchema[],
  findings: Findings,
  { check, complain }: BranchWalk,
): void {
  if (branches.length === 0) return;
  const { firstValid, best } = tryEach(branches, check, { stopsAtFirst: true });
  if (firstValid === undefined) complain("validate at least one schema (anyOf)");
  const kept = firstValid ?? best;
  if (kept !== undefined) findings.merge(kept);
}

function checkOneOf(
  branches: readonly ValueSchema[],
  findings: Findings,
  { check, complain }: BranchWalk,
): void {
  if (branches.length === 0) return;
  const { firstValid, best, validCount } = tryEach(branches, check, { stopsAtFirst: false });
  if (validCount === 1 && firstValid !== undefined) {
    findings.merge(firstValid);
    return;
  }
  const count = validCount === 0 ? "Found none valid" : `Found ${validCount} valid alternatives`;
  complain(`validate one and only one schema (oneOf). ${count}`);
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
  readonly best: Findings | undefined;
  readonly validCount: number;
}

function tryEach(
  branches: readonly ValueSchema[],
  check: (branch: ValueSchema) => Findings,
  { stopsAtFirst }: { stopsAtFirst: boolean },
): Tried {
  let firstValid: Findings | undefined;
  let best: Findings | undefined;
  let validCount = 0;
  for (const branch of branches) {
    const result = check(branch);
    if (result.isValid) {
      validCount++;
      firstValid ??= result;
      if (stopsAtFirst) break;
    } else if (best === undefined || result.matches > best.matches) best = result;
  }
  return { firstValid, best, validCount };
}
