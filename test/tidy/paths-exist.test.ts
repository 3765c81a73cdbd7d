// Every path in a comment, and every path and link in a document, leads to something.
import { posix } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, readText } from "./source-files.ts";

const paths = filesBelow("");
const known = new Set(paths);
for (const path of paths)
  for (let at = posix.dirname(path); at !== "."; at = posix.dirname(at)) known.add(at);

const CODE = /^(?:src|scripts|test)\/.*\.tsx?$/;
const DOCUMENT = /\.md$/;
/** What the build makes, what recipes add to a copy, and documents of LevelDB and ovn-kubernetes. */
const NOT_COMMITTED =
  /^(?:dist|node_modules)\/|shop\.example\.com|\bNAME\b|^docs\/|^doc\/(?:log|table)_format\.md$/;

const comments = (text: string): string =>
  [...text.matchAll(/^\s*(?:\/\/|\/?\*+)(.*)$|\s\/\/ (.*)$/gm)].map(([, a, b]) => a ?? b ?? "").join("\n");

/** Code in a document has imports of its own place. */
const FENCED = /^ *```[\s\S]*?^ *```$/gm;

/** A package by its path, as in `src/storage`. */
const PACKAGE_MENTION = /(?<![\w.\-/@:$}*])(src\/[a-z][\w-]*)(?![\w.*-])/g;

/** A path with a folder and an ending of ours, from the root of the repository, of src, or of its own folder. */
const MENTION = /(?<![\w.\-/@:$}*])((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|md|css))(?![\w-])/g;

function missingIn(path: string, text: string): string[] {
  const places = ["", "src", posix.dirname(path), "test", "scripts"];
  return [...text.matchAll(MENTION), ...text.matchAll(PACKAGE_MENTION)]
    .map(([, mention = ""]) => mention)
    .filter((mention) => !NOT_COMMITTED.test(mention))
    .filter((mention) => !places.some((place) => known.has(posix.join(place, mention))))
    .map((mention) => `${path}: ${mention}`);
}

test("comments name files that exist", () => {
  const missing = paths
    .filter((path) => CODE.test(path))
    .flatMap((path) => missingIn(path, comments(readText(path))));
  expect(missing).toEqual([]);
});

test("documents name files that exist", () => {
  const missing = paths
    .filter((path) => DOCUMENT.test(path) && !/fixtures/.test(path))
    .flatMap((path) => missingIn(path, readText(path).replaceAll(FENCED, "")));
  expect(missing).toEqual([]);
});

test("links of documents lead to files and headings that exist", () => {
  const broken = paths.filter((path) => DOCUMENT.test(path) && !/fixtures/.test(path)).flatMap(brokenLinks);
  expect(broken).toEqual([]);
});

function brokenLinks(path: string): string[] {
  const links = readText(path).matchAll(/\]\(([^)\s]+)\)/g);
  return [...links].flatMap(([, link = ""]) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? path : posix.join(posix.dirname(path), file).replace(/\/$/, "");
    if (!known.has(target)) return [`${path}: ${link}`];
    const isFound = anchor === undefined || !DOCUMENT.test(target) || headings(target).has(anchor);
    return isFound ? [] : [`${path}: ${link}`];
  });
}

/** As GitHub makes anchors of headings. */
function headings(path: string): Set<string> {
  return new Set(
    [...readText(path).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

test("a path that leads nowhere is found", () => {
  expect(missingIn("src/a.ts", "see src/verdict or src/storage")).toEqual(["src/a.ts: src/verdict"]);
  expect(missingIn("src/a.ts", "see storage/gone.ts")).toEqual(["src/a.ts: storage/gone.ts"]);
  expect(missingIn("src/a.ts", "see storage/store.ts")).toEqual([]);
});
