// Locates fields in YAML as the server writes it.
import { expect, test } from "vitest";
import { linesOf, pathParts } from "../../../src/ui/frame/yaml-lines.ts";
import { firstItem } from "../../../src/ui/object/object-text.ts";

const LINES = `apiVersion: k8s.ovn.org/v1
kind: EgressFirewall
metadata:
  labels:
    a.b/c: spec
  name: default
spec:
  egress:
  - ports:
    - port: 443
      protocol: TCP
    to:
      cidrSelector: 203.0.113.0/24
    type: Allow
  - to:
      cidrSelector: 0.0.0.0/0
    type: Deny
status:
  messages:
  - spec: applied`.split("\n");

const shown = (field: string) => {
  const found = linesOf(LINES, field);
  return found && LINES.slice(found.from, found.to).join("\n");
};

test("paths of fields are taken apart", () => {
  expect(pathParts('spec.egress[1].to.labels["a.b/c"]')).toEqual([
    "spec",
    "egress",
    1,
    "to",
    "labels",
    "a.b/c",
  ]);
});

test("a key, an item, and a key in an item", () => {
  expect(shown("kind")).toBe("kind: EgressFirewall");
  expect(shown("spec.egress[1]")).toBe("  - to:\n      cidrSelector: 0.0.0.0/0\n    type: Deny");
  expect(shown("spec.egress[0].ports[0].protocol")).toBe("      protocol: TCP");
  expect(shown("spec.egress[0].ports")).toBe("  - ports:\n    - port: 443\n      protocol: TCP");
  expect(shown("spec.egress[1].type")).toBe("    type: Deny");
  expect(shown("metadata.labels[a.b/c]")).toBe("    a.b/c: spec");
  expect(shown("status.messages[0].spec")).toBe("  - spec: applied");
});

test("what is not there is not pointed at", () => {
  for (const field of ["specs", "spec.egress[2]", "spec.egress[0].ports[0].type", "metadata.name[0]"])
    expect(shown(field)).toBeUndefined();
});

test("the first item of a list is a document of its own", () => {
  const list =
    "apiVersion: v1\nitems:\n- metadata:\n    name: a\n  data:\n    x: |\n      - y\n- metadata: {}\nkind: List\n";
  expect(firstItem(list)).toBe("metadata:\n  name: a\ndata:\n  x: |\n    - y\n");
  expect(firstItem("apiVersion: v1\nitems:\n- a: 1\nkind: List\n")).toBe("a: 1\n");
  expect(firstItem("items: []\n")).toBeUndefined();
});
