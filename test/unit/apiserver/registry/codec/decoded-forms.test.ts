import { expect, test } from "vitest";
import { toRevision } from "../../../../../src/apimachinery/meta/revision.ts";
import { DecodedForms, HELD_BYTES_MAX } from "../../../../../src/apiserver/registry/codec/decoded-forms.ts";
import type { KeyValue } from "../../../../../src/storage/store.ts";
import { collectGarbage } from "../../../../support/held-memory.ts";

const SHARE = HELD_BYTES_MAX / 4;

function storedAt(revision: number): KeyValue {
  const at = toRevision(revision);
  return { key: "/registry/a", value: new Uint8Array(SHARE), createRevision: at, modRevision: at };
}

test("forms of values are held up to a size, the latest ones, however many values there are", async () => {
  const forms = new DecodedForms<{ revision: number }>();
  const values = Array.from({ length: 40 }, (_, revision) => storedAt(revision + 1));
  for (const kv of values) forms.hold(kv, { revision: kv.modRevision });
  await collectGarbage();
  const known = values.filter((kv) => forms.get(kv) !== undefined);
  expect(known.length).toBeGreaterThanOrEqual(2);
  expect(known.length).toBeLessThanOrEqual(4);
  expect(known.at(-1)).toBe(values.at(-1));
});

test("whoever holds a form shares it with all who ask", async () => {
  const forms = new DecodedForms<{ revision: number }>();
  const [first, second] = [storedAt(1), storedAt(2)];
  const form = forms.share(first, { revision: 1 });
  forms.share(second, { revision: 2 });
  await collectGarbage();
  expect(forms.get(first)).toBe(form);
  expect(forms.get(second)).toBeUndefined();
});
