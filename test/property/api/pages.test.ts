// Properties of paginated lists through the API, while other clients write.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import type { TestApi } from "../../unit/apiserver/endpoints/support.ts";
import { runs } from "./objects.ts";
import { apply, GROUP, keyOf, list, open, put, type View, view, writes } from "./things.ts";

describe("the pages of a list", () => {
  const many = fc.array(put, { minLength: 4, maxLength: 8 });
  const limits = fc.infiniteStream(fc.integer({ min: 1, max: 4 }));

  test("are the list at the revision of the first one, whatever is written meanwhile", async () => {
    const property = fc.asyncProperty(
      view,
      writes,
      fc.array(writes, { maxLength: 4 }),
      limits,
      async (asked, before, meanwhile, limit) => {
        await using api = await open();
        for (const each of before) await apply(api, each);
        const { held } = await list(api, asked);
        let pages = 0;
        const read = await readPages(api, asked, limit, async () => {
          for (const each of meanwhile[pages++] ?? []) await apply(api, each);
        });
        expect(read.flatMap(({ items }) => items)).toEqual([...held.values()]);
        expect(new Set(read.map(({ version }) => version)).size).toBe(1);
        for (const { items, limit: most } of read.slice(0, -1)) expect(items).toHaveLength(most);
      },
    );
    await fc.assert(property, runs(60));
  });

  test("that have expired go on with what there is now, behind what was read", async () => {
    const property = fc.asyncProperty(view, many, writes, async (asked, before, meanwhile) => {
      await using api = await open();
      for (const each of before) await apply(api, each);
      const url = `${GROUP}${asked.collection}?${asked.selector}&limit=1`;
      const first = await api.get(url);
      const token = String((first.body["metadata"] as JsonObject)["continue"] ?? "");
      fc.pre(token !== "");
      const last = (first.body["items"] as KubeObject[]).at(-1);
      for (const each of meanwhile) await apply(api, each);
      const { revision } = api.store;
      fc.pre(revision > Number((first.body["metadata"] as JsonObject)["resourceVersion"]));
      await api.store.compact(revision);
      const expired = await api.get(`${url}&continue=${encodeURIComponent(token)}`);
      expect(expired).toMatchObject({ status: 410, body: { reason: "Expired" } });
      const fresh = String((expired.body["metadata"] as JsonObject)["continue"]);
      const rest = await api.get(
        `${GROUP}${asked.collection}?${asked.selector}&continue=${encodeURIComponent(fresh)}`,
      );
      const { held } = await list(api, asked);
      const behind = [...held.values()].filter((item) => last !== undefined && keyOf(item) > keyOf(last));
      expect(rest.body["items"]).toEqual(behind);
    });
    await fc.assert(property, runs(40));
  });
});

interface Page {
  readonly items: readonly KubeObject[];
  readonly version: string;
  readonly limit: number;
}

async function readPages(
  api: TestApi,
  { collection, selector }: View,
  limits: Iterator<number>,
  between: () => Promise<void>,
): Promise<Page[]> {
  const pages: Page[] = [];
  let token = "";
  do {
    const limit: number = limits.next().value;
    const more = token === "" ? "" : `&continue=${encodeURIComponent(token)}`;
    const { status, body } = await api.get(`${GROUP}${collection}?${selector}&limit=${limit}${more}`);
    expect(status).toBe(200);
    const metadata = body["metadata"] as { resourceVersion: string; continue?: string }; // of a list
    pages.push({ items: body["items"] as KubeObject[], version: metadata.resourceVersion, limit });
    token = metadata.continue ?? "";
    await between();
  } while (token !== "");
  return pages;
}
