import { expect, test } from "vitest";
import type { StreamBody } from "../../../../../src/apiserver/endpoints/api-request.ts";
import { spaces, textBody } from "../../../../../src/apiserver/endpoints/response/answer-text.ts";
import { countTurns } from "../../../../support/count-turns.ts";
import { configMap, TestApi } from "../support.ts";

function* lines(count: number, made = { count: 0 }): Generator<string, void> {
  for (; made.count < count; made.count++) yield "a line of text\n";
}

const streamed = (parts: Iterator<string, void>): StreamBody => {
  const body = textBody(parts);
  if (typeof body !== "function") throw new Error("it is sent whole");
  return body;
};

test("a short text is sent whole", () => {
  expect(textBody(lines(0))).toEqual(Buffer.from(""));
  expect(textBody(lines(1000))).toEqual(Buffer.from("a line of text\n".repeat(1000)));
});

test("a long text is sent as it is made, and others have their turn meanwhile", async () => {
  const chunks: Uint8Array[] = [];
  const { turns } = await countTurns(async () => {
    const write = (chunk: Uint8Array) => void chunks.push(chunk);
    await streamed(lines(100_000))({ write }, new AbortController().signal);
  });
  expect(Buffer.concat(chunks).equals(Buffer.from("a line of text\n".repeat(100_000)))).toBe(true);
  expect(chunks.length).toBeGreaterThan(5);
  expect(turns).toBeGreaterThan(5);
});

test("what nobody reads any more is not made", async () => {
  const made = { count: 0 };
  const client = new AbortController();
  await streamed(lines(1_000_000, made))({ write: () => client.abort() as undefined }, client.signal);
  expect(made.count).toBeLessThan(100_000);
});

test("spaces, however many", () => {
  for (const count of [0, 1, 256, 257, 20_000]) expect(spaces(count)).toBe(" ".repeat(count));
});

test.each(["application/yaml", "application/json;pretty=1"])("%s of a large object", async (accept) => {
  await using api = await TestApi.open();
  const path = "/api/v1/namespaces/default/configmaps";
  await api.post(path, configMap("c", { data: { text: "a: b\n".repeat(100_000) } }));
  const [one, list] = [await api.get(`${path}/c`, { accept }), await api.get(path, { accept })];
  const { turns } = await countTurns(() => api.get(`${path}/c`, { accept }));
  expect(one.text.length).toBeGreaterThan(500_000);
  expect(list.text.length).toBeGreaterThan(one.text.length);
  if (accept === "application/yaml") expect(turns).toBeGreaterThan(5);
});
