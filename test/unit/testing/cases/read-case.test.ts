import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { caseSchemas } from "../../../../src/testing/cases/case-schema.ts";
import { parseCase } from "../../../../src/testing/cases/read-case.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const schema = caseSchemas().get("egret__case_schema.json") ?? {};
const accepts = new Ajv2020({ strict: false }).compile(schema);

const readError = (text: string): string => {
  try {
    parseCase("c.yaml", text);
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
  return "";
};

describe("a case that is wrong is told what, where, and what may have been meant", () => {
  const WRONG: [text: string, told: string][] = [
    ["about: x", "state: is missing"],
    ["[]", "the file: is a list, and has to be a map"],
    ["state: {}\nstep: []", "step: is unknown; did you mean steps?"],
    [
      "state: {}\nserver: { platform: awz }",
      "server.platform: awz is none of none, aws, gcp, azure, openstack; did you mean aws?",
    ],
    ["state: {}\nserver: { clock: noon }", 'server.clock: "noon" is no time: 2030-01-02T15:04:05Z'],
    ["state: { objects: [{ kind: Node, metadata: {} }] }", "state.objects[0].apiVersion: is missing"],
    [
      "state: {}\nsteps: [{ do: [{ lable: node/a, labels: {} }] }]",
      "steps[0].do[0]: says none of apply, delete, label, annotate, patch, notReady, ready, advance, until, restart; did you mean label?",
    ],
    [
      "state: {}\nsteps: [{ do: [{ label: node/a, lables: {} }] }]",
      "steps[0].do[0].lables: is unknown; did you mean labels?",
    ],
    [
      "state: {}\nsteps: [{ do: [{ label: node/a, labels: { a: 1 } }] }]",
      "steps[0].do[0].labels.a: is 1, and has to be a text (in quotes where it looks like something else)",
    ],
    [
      "state: {}\nsteps: [{ do: [{ advance: 5 minutes }] }]",
      'steps[0].do[0].advance: "5 minutes" is no duration: 90s, 1h30m',
    ],
    ["state: {}\nsteps: [{ do: [advance] }]", 'steps[0].do[0]: is "advance", and has to be a map'],
    [
      "state: {}\nexpect: [{ explain: eip/a, says: 1 }]",
      "expect[0].says: is 1, and has to be a text (in quotes where it looks like something else) or a list",
    ],
    ["state: {}\nexpect: [{ trace: pod/a/b }]", "expect[0].to: is missing"],
    [
      "state: {}\nexpect: [{ trace: pod/a/b, to: x, dscp: high }]",
      'expect[0].dscp: is "high", and has to be a whole number',
    ],
  ];
  test.each(WRONG)("%s", (text, told) => {
    expect(readError(text)).toContain(told);
    expect(accepts(parse(text))).toBe(false);
  });

  const MEANINGLESS: [text: string, told: string][] = [
    ["state: {}\nstate: {}", "c.yaml: "],
    ["state: {}\n---\nstate: {}", "c.yaml holds 2 documents, and a case is one"],
    [
      "state: {}\nexpect: [{ cel: 'true' }]",
      "expect[0].cel: say beside it what to look at: either query or queries",
    ],
    [
      "state: {}\nexpect: [{ cel: 'object.', query: { kind: v1/Node, name: a } }]",
      "expect[0].cel: the condition is no CEL expression",
    ],
    [
      "state: {}\nsteps: [{ do: [{ until: 'objects.size()', query: { kind: v1/Node } }] }]",
      "steps[0].do[0].until: the condition gives int, and not true or false",
    ],
  ];
  test.each(MEANINGLESS)("%s", (text, told) => {
    expect(readError(text)).toContain(told);
  });

  test("all of it at once", () => {
    const told = readError("stat: {}\nserver: { seed: 1 }\nexpect: [{}]");
    expect(told.split("\n")).toHaveLength(5);
    expect(told).toContain("4 things are wrong");
  });
});

test("what the reader takes the published schema takes too", async () => {
  const folder = join(ROOT, "test/samples/incidents");
  const files = (await readdir(folder))
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => join(folder, name));
  for (const file of [...files, join(ROOT, "test/e2e/manifests/case.yaml")]) {
    const text = await readFile(file, "utf8");
    expect(parseCase(file, text).file).toBe(file);
    accepts(parse(text));
    expect(accepts.errors ?? [], file).toEqual([]);
  }
});
