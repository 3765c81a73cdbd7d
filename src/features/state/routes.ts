// HTTP routes for saving and restoring state: reset, snapshots and branches.
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import {
  anyOf,
  type ControlRoute,
  type ControlSchema,
  closedObject,
  flag,
  integer,
  list,
  oneOf,
  route,
  text,
  type ValueOf,
} from "../control-surface/control-route.ts";
import type { Branch, Branches, Snapshots } from "./named-states.ts";
import { type SavedState, type StateKeeper, WATCHES } from "./state-keeper.ts";

const NAME_PATTERN = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const NAME_FORM = "Letters, digits, dots, dashes and underscores; at most 63.";
const nameSchema = (description: string) => text(description, { pattern: NAME_PATTERN.source });
const name = nameSchema(NAME_FORM);
const from = nameSchema("A snapshot or a branch to begin with; left out: the present state.");

const watches = {
  ...oneOf(
    WATCHES,
    "What open watches get: the differences as ADDED, MODIFIED and DELETED, or a 410 Expired that ends them.",
  ),
  default: "events",
};

const itemsOf = (item: ControlSchema) => closedObject({ items: list(item) }, ["items"]);

const RESTORED = [
  "What has changed.",
  closedObject(
    {
      revision: integer("The resourceVersion of the restored state."),
      created: integer("Keys of the store that were missing."),
      updated: integer("Those that differed."),
      deleted: integer("Those that were too much."),
    },
    ["revision", "created", "updated", "deleted"],
  ),
] as const;
const SNAPSHOT = closedObject(
  {
    name,
    revision: integer(),
    savedAt: text(undefined, { format: "date-time" }),
    keys: integer("How much it holds: objects, and addresses and ports that are taken."),
  },
  ["name", "revision", "savedAt", "keys"],
);
export type SnapshotJson = ValueOf<typeof SNAPSHOT>;
const BRANCH = closedObject(
  { name, current: flag(), revision: integer("Where it was left; the current one has none.") },
  ["name", "current"],
);

const to = {
  ...anyOf(
    'What every server has ("empty"), what this one had when it was ready ("start"), or a snapshot.',
    oneOf(["empty", "start"]),
    closedObject({ snapshot: name }, ["snapshot"]),
  ),
  default: "start",
};
const RESET = closedObject({ to, watches });
const RESTORE = closedObject({ watches });

interface StateRoutesDeps {
  readonly state: StateKeeper;
  readonly snapshots: Snapshots;
  readonly branches: Branches;
}

export const stateRoutes = ({ state, snapshots, branches }: StateRoutesDeps): ControlRoute[] => [
  route("POST /reset", "reset", {
    summary: "Makes an earlier state the present one, at one new revision.",
    body: RESET,
    bodyForm: "optional",
    answer: RESTORED,
    handle: ({ body: { to = "start", ...options } }) =>
      typeof to === "object" ? snapshots.restore(to.snapshot, options) : state.reset(to, options),
  }),
  ...snapshotRoutes(snapshots),
  ...branchRoutes(branches, snapshots),
];

function snapshotRoutes(snapshots: Snapshots): ControlRoute[] {
  const answer = ["The snapshot.", SNAPSHOT] as const;
  return [
    route("GET /snapshots", "listSnapshots", {
      summary: "The snapshots there are, the oldest first. They live as long as the server runs.",
      answer: ["All of them.", itemsOf(SNAPSHOT)],
      handle: () => ({ items: snapshots.list().map(([name, state]) => snapshotJson(name, state)) }),
    }),
    route("POST /snapshots", "createSnapshot", {
      summary: "Saves the present state under a name that is still free.",
      body: closedObject({ name }, ["name"]),
      answer,
      handle: ({ body: { name } }) => snapshotJson(name, snapshots.save(name)),
    }),
    route("GET /snapshots/{name}", "getSnapshot", {
      summary: "One snapshot.",
      answer,
      handle: ({ path: { name } }) => snapshotJson(name, snapshots.get(name)),
    }),
    route("PUT /snapshots/{name}", "putSnapshot", {
      summary: "Saves the present state under a name, in the place of what it may hold.",
      answer,
      handle: ({ path: { name } }) => {
        if (!NAME_PATTERN.test(name)) throw badRequest(`${name} is no name: ${NAME_FORM}`);
        return snapshotJson(name, snapshots.save(name, { replace: true }));
      },
    }),
    route("DELETE /snapshots/{name}", "deleteSnapshot", {
      summary: "Forgets a snapshot.",
      answer: ["It is forgotten."],
      handle: ({ path: { name } }) => snapshots.delete(name),
    }),
    route("POST /snapshots/{name}/restore", "restoreSnapshot", {
      summary: "Makes a snapshot the present state, at one new revision.",
      body: RESTORE,
      bodyForm: "optional",
      answer: RESTORED,
      handle: ({ path: { name }, body }) => snapshots.restore(name, body),
    }),
  ];
}

function branchRoutes(branches: Branches, snapshots: Snapshots): ControlRoute[] {
  /** A snapshot precedes a branch of the same name. Throws 404. */
  const beginning = (name: string): SavedState =>
    snapshots.list().find(([known]) => known === name)?.[1] ?? branches.stateOf(name);
  return [
    route("GET /branches", "listBranches", {
      summary: "The lines of state there are, by name. One of them is the current one, at the start main.",
      answer: ["All of them.", itemsOf(BRANCH)],
      handle: () => ({ items: branches.list().map(branchJson) }),
    }),
    route("POST /branches", "createBranch", {
      summary: "Makes a branch. The current branch stays the current one.",
      body: closedObject({ name, from }, ["name"]),
      answer: ["The branch.", BRANCH],
      handle: ({ body: { name, from } }) =>
        branchJson(branches.create(name, from === undefined ? undefined : beginning(from))),
    }),
    route("POST /branches/{name}/checkout", "checkoutBranch", {
      summary: "Leaves the current branch as it stands and makes another one the current one.",
      body: RESTORE,
      bodyForm: "optional",
      answer: RESTORED,
      handle: ({ path: { name }, body }) => branches.checkout(name, body),
    }),
    route("DELETE /branches/{name}", "deleteBranch", {
      summary: "Forgets a branch that is not the current one.",
      answer: ["It is forgotten."],
      handle: ({ path: { name } }) => branches.delete(name),
    }),
  ];
}

const snapshotJson = (name: string, { revision, savedAtMs, items }: SavedState): SnapshotJson => ({
  name,
  revision,
  savedAt: formatTime(savedAtMs),
  keys: items.size,
});

const branchJson = ({ name, current, state }: Branch) => ({ name, current, revision: state?.revision });
