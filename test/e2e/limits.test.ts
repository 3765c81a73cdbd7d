// Errors for requests that exceed a limit.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startEgret } from "../support/egret-process.ts";

const AT_ONCE = 40;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-limits-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("writes beyond --max-mutating-requests-inflight get 429, and those that are taken are there", async () => {
  const flags = [
    "--data-dir",
    join(folder, "data"),
    "--kubeconfig",
    "",
    "--max-mutating-requests-inflight",
    "2",
  ];
  await using egret = await startEgret(flags);
  const namespaces = `${egret.url}/api/v1/namespaces`;
  const create = async (number: number) => {
    const name = `n${number}`;
    const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(namespaces, { method: "POST", headers, body });
    return {
      name,
      status: answer.status,
      retryAfter: answer.headers.get("retry-after"),
      text: await answer.text(),
    };
  };
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => create(number)));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, retryAfter, text } of refused) {
    expect({ status, retryAfter, text }).toEqual({
      status: 429,
      retryAfter: "1",
      text: "Too many requests, please try again later.\n",
    });
  }
  const { items } = (await (await fetch(namespaces)).json()) as { items: { metadata: { name: string } }[] };
  const taken = answers.filter(({ status }) => status === 201).map(({ name }) => name);
  expect(
    items
      .map(({ metadata }) => metadata.name)
      .filter((name) => /^n\d/.test(name))
      .sort(),
  ).toEqual(taken.sort());
  expect(await (await fetch(`${egret.url}/metrics`)).text()).toMatch(/code="429"} [1-9]/);
});
