// Data that outlives a request retains only short copies of its URL, its headers or its body.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundedText, cloneText } from "../../../../src/apimachinery/go/clone.ts";
import { compilePattern } from "../../../../src/apimachinery/go/pattern.ts";
import { parseCidr } from "../../../../src/apimachinery/meta/ip.ts";
import { memoizeText } from "../../../../src/apimachinery/meta/memoize.ts";
import { RequestCounts } from "../../../../src/apiserver/http/call.ts";
import { RequestLog } from "../../../../src/features/request-log/request-log.ts";
import { askedFor } from "../../../support/asked-for.ts";
import { heldBytes } from "../../../support/held-memory.ts";

const MEBIBYTE = 1024 * 1024;
const TEXTS = 40;
/** Far less than the texts have together. */
const HELD_MAX = 8 * MEBIBYTE;

/** Cut out of a text of a mebibyte, as a path is cut out of a URL. */
const cutOut = (text: string): string =>
  Buffer.from(`${text}?${"x".repeat(MEBIBYTE)}`)
    .toString("latin1")
    .slice(0, text.length);

/** What is still held after all of them have been used. */
async function heldAfter(use: (index: number) => void): Promise<number> {
  const before = await heldBytes();
  for (let index = 0; index < TEXTS; index++) use(index);
  return (await heldBytes()) - before;
}

test("a text that is cut out keeps the whole: otherwise the tests below prove nothing", async () => {
  const kept: string[] = [];
  expect(await heldAfter((index) => kept.push(cutOut(`a text of its own ${index}`)))).toBeGreaterThan(
    HELD_MAX,
  );
  expect(kept).toHaveLength(TEXTS);
});

describe("nothing of a mebibyte is kept by", () => {
  test("the counts of requests", async () => {
    const counts = new RequestCounts();
    const labels = (index: number) => ({
      verb: "GET",
      group: cutOut(`group-${index}.example.com`),
      version: cutOut("v1alpha1-of-the-group"),
      resource: cutOut(`resources-of-a-kind-${index}`),
      subresource: cutOut("a-long-subresource"),
    });
    expect(await heldAfter((index) => counts.answered(labels(index), 200, 0.1))).toBeLessThan(HELD_MAX);
    expect([...counts]).toHaveLength(TEXTS);
  });

  test("the log of requests", async () => {
    const log = new RequestLog();
    const long = (index: number) => Buffer.alloc(MEBIBYTE, `${index}`).toString("latin1");
    const use = (index: number) =>
      log.add({
        ...{ stage: "complete", method: "GET", url: `/api/v1/pods?${long(index)}` },
        ...{ info: askedFor("GET", "/api/v1/pods", "").info, user: long(index), userAgent: long(index) },
        ...{ status: 200, startedMs: 1, endedMs: 2, cause: long(index), revision: undefined },
      });
    expect(await heldAfter(use)).toBeLessThan(HELD_MAX);
    const [first] = log.entries({ limit: 1 });
    expect(first?.path).toMatch(/… \(\d+ more characters\)$/);
    expect([first?.resource, first?.verb]).toEqual(["pods", "list"]);
  });

  test("what is derived once per text", async () => {
    const read = memoizeText((text) => ({ text }));
    const texts = (index: number) => cutOut(`2030-01-02T15:04:05.${String(index).padStart(6, "0")}Z`);
    expect(await heldAfter((index) => read(texts(index)))).toBeLessThan(HELD_MAX);
  });

  test("networks that have been read", async () => {
    const texts = (index: number) => cutOut(`fd00:1234:5678:9abc::${index.toString(16)}/64`);
    expect(await heldAfter((index) => parseCidr(texts(index)))).toBeLessThan(HELD_MAX);
  });

  test("patterns that have been compiled", async () => {
    const texts = (index: number) => cutOut(`^[a-z0-9]{3,40}-${index}$`);
    expect(await heldAfter((index) => compilePattern(texts(index)))).toBeLessThan(HELD_MAX);
  });
});

test("many large patterns are not all kept", async () => {
  const before = await heldBytes();
  for (let index = 0; index < 300; index++) compilePattern(`^.{1000}.{1000}.{1000}.{1000}${index}$`);
  expect((await heldBytes()) - before).toBeLessThan(60 * MEBIBYTE);
});

test("a text is copied letter by letter, and cut with a mark beyond its bound", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, max) => {
      expect(cloneText(text)).toBe(text);
      const bounded = boundedText(text, max);
      if (text.length <= max) expect(bounded).toBe(text);
      else expect(bounded).toBe(`${text.slice(0, max)}… (${text.length - max} more characters)`);
    }),
  );
});
