// Label and field selectors of queries.
import { compileFields, parseFieldSelector } from "../../../../src/apimachinery/meta/field-selector.ts";
import { parseLabelSelector } from "../../../../src/apimachinery/meta/label-selector.ts";
import { StatusError } from "../../../../src/apimachinery/meta/status.ts";
import { type ParserTarget, texts } from "../target.ts";

const isBadRequest = (error: unknown): boolean => error instanceof StatusError && error.code === 400;

export const LABEL_SELECTOR_TARGET: ParserTarget = {
  seeds: () =>
    texts("app=web,tier!=db,env in (prod,dev),!canary,n>5,n<9", "example.com/a notin (,b),c==d,e", "a in ()"),
  tokens: [
    "=",
    "==",
    "!=",
    "!",
    "in",
    "notin",
    "(",
    ")",
    ",",
    "<",
    ">",
    " ",
    "\t",
    "\u0000",
    "a",
    "a/b",
    "x in (",
    "ä",
  ],
  run(input) {
    const selector = parseLabelSelector(input.toString("utf8"));
    selector.matches({ app: "web", n: "7", "example.com/a": "" });
    selector.anchor?.values?.list();
  },
  isExpected: isBadRequest,
};

export const FIELD_SELECTOR_TARGET: ParserTarget = {
  seeds: () => texts("metadata.name=a,status.phase!=Running,spec.x==b\\,c", "a=\\\\\\=,b!=,"),
  tokens: ["=", "==", "!=", "!", ",", "\\", "\\,", "metadata.name=", "a", " "],
  run(input) {
    const fields = compileFields(parseFieldSelector(input.toString("utf8")));
    fields?.matches((field) => field);
    fields?.allowed("metadata.name");
  },
  isExpected: isBadRequest,
};
