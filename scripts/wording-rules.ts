// Wording that hides the field's terms, by rule, and the search for it in the prose of one file: comments of code, and all
// lines of documents.

/** Findings per 1,000 lines of prose that are accepted: quotations and the rare legitimate use. */
export const WORDING_MAX = 10;

interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly better: string;
}

const RULES: readonly Rule[] = [
  {
    name: "a person in the place of a component",
    pattern: /\b(?:who|whom|whoever|somebody|nobody|everybody|anybody|someone else|he|him|his)\b/i,
    better: "name the component, client, user, watcher or controller",
  },
  {
    name: "told",
    pattern: /\b(?:told|tell|tells|telling)\b/i,
    better: "notify, report, return, log or print",
  },
  { name: "stands", pattern: /\b(?:stands|stood|standing)\b/i, better: "is stored, is located, holds or is" },
  {
    name: "a clause in the place of a noun",
    pattern: /\b(?:what is (?:gone|there|left|so|asked|wanted|said|meant)|what else|all else)\b/i,
    better: "name the thing",
  },
  {
    name: "is asked",
    pattern: /\b(?:is|are|was|were|be) asked\b/i,
    better: "is called, requested, queried or consulted",
  },
  {
    name: "a house in the place of a program",
    pattern: /\b(?:rooms?|the house|doors?)\b/i,
    better: "package, module or entry point",
  },
  {
    name: "means nothing",
    pattern: /\b(?:means? nothing|nothing is meant)\b/i,
    better: "is unknown, is invalid or is not supported",
  },
  {
    name: "hears, says",
    pattern:
      /\b(?:hears?|heard|says? (?:so|nothing|otherwise|what|which|that|who)|by a word|without a word)\b/i,
    better: "receives, returns, reports or silently",
  },
  {
    name: "as it stood",
    pattern: /\b(?:as it (?:stood|was)|lay(?:s|ing)? in|laid in)\b/i,
    better: "original state, import or restore",
  },
];

export interface WordingFinding {
  /** From 1. */
  readonly line: number;
  readonly rule: string;
  readonly words: string;
  readonly better: string;
}

export interface FileWording {
  /** Lines of prose. */
  readonly lines: number;
  readonly findings: readonly WordingFinding[];
}

/** This file names the words. */
const OWN_FILE = /(?:^|\/)wording(?:-rules|\.test)\.ts$/;

export function wordingFindings(path: string, text: string): FileWording {
  if (OWN_FILE.test(path)) return { lines: 0, findings: [] };
  const isDocument = path.endsWith(".md");
  const findings: WordingFinding[] = [];
  let lines = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const prose = isDocument ? line : commentIn(line);
    if (!prose) continue;
    lines++;
    for (const { name, pattern, better } of RULES) {
      const words = pattern.exec(prose)?.[0];
      if (words !== undefined) findings.push({ line: index + 1, rule: name, words, better });
    }
  }
  return { lines, findings };
}

function commentIn(line: string): string | undefined {
  return /^\s*(?:\/\/|\/?\*+)(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1];
}
