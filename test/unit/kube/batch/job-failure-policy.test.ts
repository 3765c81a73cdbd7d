import { expect, it } from "vitest";
import { create, definitionOf, lines, validBody } from "../passage.ts";

const JOBS = definitionOf("batch/Job");
const { spec } = validBody(JOBS);

it.each([
  ["nothing", {}, "null"],
  ["an empty list", { values: [] }, "[]"],
])(
  "a Job whose failures are told by %s as exit codes is refused, and that is shown",
  (_what, values, shown) => {
    const rules = [{ action: "FailJob", onExitCodes: { operator: "In", ...values } }];
    const body = { metadata: { name: "j" }, spec: { ...(spec as object), podFailurePolicy: { rules } } };
    expect(lines(create(JOBS, body).errors)).toContain(
      `spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: ${shown}: at least one value is required`,
    );
  },
);
