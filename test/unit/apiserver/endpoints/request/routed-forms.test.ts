import { expect, test } from "vitest";
import { StatusError } from "../../../../../src/apimachinery/meta/status.ts";
import {
  demandForms,
  type RoutedForms,
} from "../../../../../src/apiserver/endpoints/request/routed-forms.ts";

const FORMS: RoutedForms = { consumes: ["a/json", "a/patch"], produces: ["a/json", "a/yaml"] };
const AVAILABLE = "Available representations: a/json, a/yaml";

/** The refusal, or "passed". */
function outcome(method: string, headers: Record<string, string>, forms = FORMS): string | undefined {
  try {
    demandForms({ method, headers }, forms);
    return "passed";
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    expect(error.status).toMatchObject({ details: {}, code: error.code });
    return error.status.message;
  }
}

test.each([
  ["GET", {}],
  ["GET", { accept: "" }],
  ["GET", { accept: "x/y, */*;q=0.1" }],
  ["GET", { accept: "x/y , a/yaml;as=Nothing" }],
  ["DELETE", {}],
  ["PATCH", { "content-type": "a/patch; charset=utf-8" }],
])("%s with %j passes", (method, headers) => {
  expect(outcome(method, headers)).toBe("passed");
});

test.each([
  ["GET", { accept: "x/y" }, `406: Not Acceptable\n\n${AVAILABLE}`],
  ["GET", { accept: "a/*" }, `406: Not Acceptable\n\n${AVAILABLE}`],
  ["GET", { accept: "A/JSON" }, `406: Not Acceptable\n\n${AVAILABLE}`],
  ["GET", { "content-type": "x/y" }, "415: Unsupported Media Type"],
  ["PATCH", {}, "415: Unsupported Media Type"],
  ["PATCH", { "content-type": "x/y", accept: "x/y" }, "415: Unsupported Media Type"],
  [
    "PATCH",
    { "content-type": "a/patch", accept: "x/y", "content-length": "2" },
    `406: Not Acceptable\n\n${AVAILABLE}`,
  ],
  [
    "PATCH",
    { "content-type": "a/patch", accept: "x/y", "content-length": "0" },
    `415: Unsupported Media Type\n\n${AVAILABLE}`,
  ],
])("%s with %j is refused", (method, headers, message) => {
  expect(outcome(method, headers)).toBe(message);
});

test("any body passes where none is named", () => {
  expect(outcome("POST", { "content-type": "x/y" }, { produces: ["a/json"] })).toBe("passed");
});
