// A saved case reads back equal: every string stays a string, whatever its form.
import { expect, test } from "vitest";
import { DEFAULT_FACTS } from "../../../../src/ovn/snapshot.ts";
import { parseCase } from "../../../../src/testing/cases/read-case.ts";
import { caseTextOf } from "../../../../src/testing/cases/save-case.ts";

const LOOKS_LIKE_SOMETHING_ELSE = [
  ...["yes", "no", "on", "off", "y", "N", "true", "null", "~", "", "=", "<<"],
  ...["0777", "0o17", "0x1f", "1_000", "1:20", "190:20:30", "1e3", ".5", "-1", "+.inf", ".NaN", "012"],
  ...["2001-01-01", "2001-01-01T00:00:00Z", "# no", "- a", "a: b", "'", '"', "{}", "[", "%", "@", " x "],
  ...[
    "line\nline\n",
    "\n",
    "\t",
    "a\r\nb",
    "a\u2028b",
    "\u0085",
    "\ufeff",
    "🐦",
    "---\nkind: Secret\n",
    "...\n",
  ],
];

test.each(LOOKS_LIKE_SOMETHING_ELSE)("the text %j", (text) => {
  const labels = { said: text, [text]: "said" };
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n", labels } };
  const saved = caseTextOf([node], {
    ...{ name: text, facts: DEFAULT_FACTS, server: {}, namespaces: [], selector: "" },
  });
  expect(parseCase("saved.yaml", saved).state.objects).toEqual([node]);
});
