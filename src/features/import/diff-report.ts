// The differences between a source and the server's state, and their HTTP route.
import { badRequest } from "../../apimachinery/meta/status.ts";
import {
  type ControlRoute,
  flag,
  integer,
  LINES_TYPE,
  list,
  maybe,
  object,
  route,
  storedAnswer,
  text,
  type ValueOf,
} from "../control-surface/control-route.ts";
import type { Arrivals } from "./arrivals.ts";
import { arrived } from "./imports.ts";

const DECISIONS = object({
  moved: list(
    object({
      ...{ egressIp: text(), address: text() },
      from: text("The node that was recorded; empty for none."),
      to: text("The node now; empty for none."),
      why: text("As egret explain says it."),
    }),
    "Addresses of EgressIPs.",
  ),
  services: list(
    object({ egressService: text(), from: text(), to: text(), why: text() }),
    "Hosts of EgressServices.",
  ),
});

export const SOURCE_DIFFERENCE = object({
  differs: flag(),
  counts: object({ added: integer(), removed: integer(), changed: integer() }),
  added: list(text(), "Here, and not in the source: pods shop/web. What the server makes of itself is none."),
  removed: list(text(), "In the source, and not here."),
  changed: list(
    object({
      object: text(),
      fields: list(object({ path: text(), recorded: maybe({}), now: maybe({}) }), "What differs."),
    }),
    "In both, and not the same; versions, managers and heartbeats are left out.",
  ),
  decisions: DECISIONS,
  anew: maybe(DECISIONS),
  skipped: list(
    object({ reason: text(), count: integer(), origins: list(text()) }),
    "What was not compared.",
  ),
});
export type SourceDifference = ValueOf<typeof SOURCE_DIFFERENCE>;

export type Differ = (
  arrivals: Arrivals,
  options: { readonly secrets: boolean; readonly recompute: boolean },
) => Promise<SourceDifference>;

export const diffRoute = (differ: Differ): ControlRoute =>
  route("POST /diff", "diffWithSource", {
    summary: "How a source differs from the state: objects, and what was decided of them.",
    query: {
      secrets: flag("Secrets are compared, too.", { default: false }),
      recompute: flag("What would be decided anew, if nothing had been.", { default: false }),
    },
    body: { type: "object", description: "Lines of JSON are wanted, an object on each." },
    answer: ["What differs.", SOURCE_DIFFERENCE],
    handle: () => {
      throw badRequest(`lines are wanted: ${LINES_TYPE}`);
    },
    lines: async ({ raw: { query }, lines }) =>
      storedAnswer(
        200,
        await differ(await arrived(lines), {
          secrets: query.flag("secrets"),
          recompute: query.flag("recompute"),
        }),
      ),
  });
