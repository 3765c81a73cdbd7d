// The contrast ratios that WCAG requires, computed from the actual style sheet.
import { expect, test } from "vitest";
import { readText } from "../../tidy/source-files.ts";

const [light = "", dark = ""] = readText("src/ui/page.css").split("prefers-color-scheme: dark");

/** The tokens of one scheme: "ok" → [r, g, b] from 0 to 255. */
const tokensOf = (css: string): Map<string, number[]> =>
  new Map(
    [...css.matchAll(/--([\w-]+):\s*#([0-9a-f]{6})/g)].map(([, name = "", hex = ""]) => [
      name,
      [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)),
    ]),
  );

function luminance(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: readonly number[], b: readonly number[]): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

test("black on white has the highest contrast there is", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
});

const TEXTS = ["text", "muted", "ok", "wait", "bad", "move", "ghost"];
const TINTED = ["ok", "wait", "bad", "move"];

test.each([
  ["light", tokensOf(light)],
  ["dark", tokensOf(dark)],
])("%s: text can be read on what is behind it, and borders of controls are seen", (_scheme, tokens) => {
  const between = (a: string, b: string) => contrast(tokens.get(a) ?? [], tokens.get(b) ?? []);
  for (const ground of ["bg", "surface"]) {
    for (const name of TEXTS)
      expect(between(name, ground), `${name} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    expect(between("line", ground), `line on ${ground}`).toBeGreaterThanOrEqual(3);
  }
  for (const name of TINTED) {
    expect(between(name, `tint-${name}`), `${name} on its tint`).toBeGreaterThanOrEqual(4.5);
    expect(between("text", `tint-${name}`), `text on the tint of ${name}`).toBeGreaterThanOrEqual(4.5);
  }
});
