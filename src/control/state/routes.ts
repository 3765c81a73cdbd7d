// Saving and restoring over HTTP: reset, named snapshots, and branches.
import { formatTime } from "../../meta/clock.ts";
import { badRequest } from "../../meta/status.ts";
import type { ControlRequest, ControlRoute, ControlSchema } from "../control-route.ts";
import type { Branch, Branches } from "./branches.ts";
import type { Snapshots } from "./snapshots.ts";
import {
  type ResetTarget,
  type RestoreOptions,
  type SavedState,
  type StateKeeper,
  WATCHES,
} from "./state-keeper.ts";

const NAME: ControlSchema = {
  type: "string",
  pattern: "^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$",
  description: "Letters, digits, dots, dashes and underscores; at most 63.",
};
const NAME_PATTERN = new RegExp(String(NAME["pattern"]));

const WATCHES_SCHEMA: ControlSchema = {
  type: "string",
  enum: [...WATCHES],
  default: "events",
  description:
    "What open watches get: the differences as ADDED, MODIFIED and DELETED, or a 410 Expired that ends them.",
};

const object = (required: readonly string[], properties: Readonly<Record<string, ControlSchema>>) => ({
  type: "object",
  additionalProperties: false,
  ...(required.length === 0 ? {} : { required }),
  properties,
});
const list = (items: ControlSchema) => object(["items"], { items: { type: "array", items } });

const RESTORED = object(["revision", "created", "updated", "deleted"], {
  revision: { type: "integer", description: "The resourceVersion of the restored state." },
  created: { type: "integer", description: "Keys of the store that were missing." },
  updated: { type: "integer", description: "Those that differed." },
  deleted: { type: "integer", description: "Those that were too much." },
});
const SNAPSHOT = object(["name", "revision", "savedAt", "keys"], {
  name: NAME,
  revision: { type: "integer" },
  savedAt: { type: "string", format: "date-time" },
  keys: {
    type: "integer",
    description: "How much it holds: objects, and addresses and ports that are taken.",
  },
});
const BRANCH = object(["name", "current"], {
  name: NAME,
  current: { type: "boolean" },
  revision: { type: "integer", description: "Where it was left; the current one has none." },
});
const RESET_BODY = object([], {
  to: {
    description:
      'What every server has ("empty"), what this one had when it was ready ("start"), or a snapshot.',
    default: "start",
    anyOf: [{ type: "string", enum: ["empty", "start"] }, object(["snapshot"], { snapshot: NAME })],
  },
  watches: WATCHES_SCHEMA,
});
const RESTORE_BODY = { schema: object([], { watches: WATCHES_SCHEMA }), required: false };

/** What the schemas above let through. */
interface ResetBody extends RestoreOptions {
  readonly to?: ResetTarget | { readonly snapshot: string };
}
const bodyOf = <T>({ body }: ControlRequest): Partial<T> => (body ?? {}) as Partial<T>;

export interface StateRoutesDeps {
  readonly state: StateKeeper;
  readonly snapshots: Snapshots;
  readonly branches: Branches;
}

export function stateRoutes({ state, snapshots, branches }: StateRoutesDeps): ControlRoute[] {
  return [resetRoute(state, snapshots), ...snapshotRoutes(snapshots), ...branchRoutes(branches, snapshots)];
}

const resetRoute = (state: StateKeeper, snapshots: Snapshots): ControlRoute => ({
  method: "POST",
  path: "/reset",
  operationId: "reset",
  summary: "Makes an earlier state the present one, at one new revision.",
  body: { schema: RESET_BODY, required: false },
  answer: { description: "What has changed.", schema: RESTORED },
  async handle(request) {
    const { to = "start", ...options } = bodyOf<ResetBody>(request);
    if (typeof to === "object") return { json: await snapshots.restore(to.snapshot, options) };
    return { json: await state.reset(to, options) };
  },
});

function snapshotRoutes(snapshots: Snapshots): ControlRoute[] {
  const one = { description: "The snapshot.", schema: SNAPSHOT };
  const path = "/snapshots/{name}";
  return [
    {
      method: "GET",
      path: "/snapshots",
      operationId: "listSnapshots",
      summary: "The snapshots there are, the oldest first. They live as long as the server runs.",
      answer: { description: "All of them.", schema: list(SNAPSHOT) },
      handle: () => ({ json: { items: snapshots.list().map(([name, state]) => snapshotJson(name, state)) } }),
    },
    {
      method: "POST",
      path: "/snapshots",
      operationId: "createSnapshot",
      summary: "Saves the present state under a name that is still free.",
      body: { schema: object(["name"], { name: NAME }), required: true },
      answer: one,
      handle: (request) => {
        const { name = "" } = bodyOf<{ name: string }>(request);
        return { json: snapshotJson(name, snapshots.save(name)) };
      },
    },
    {
      method: "GET",
      path,
      operationId: "getSnapshot",
      summary: "One snapshot.",
      answer: one,
      handle: ({ path: { name = "" } }) => ({ json: snapshotJson(name, snapshots.get(name)) }),
    },
    {
      method: "PUT",
      path,
      operationId: "putSnapshot",
      summary: "Saves the present state under a name, in the place of what it may hold.",
      answer: one,
      handle: ({ path: { name = "" } }) => {
        if (!NAME_PATTERN.test(name)) throw badRequest(`${name} is no name: ${NAME["description"]}`);
        return { json: snapshotJson(name, snapshots.save(name, { replace: true })) };
      },
    },
    {
      method: "DELETE",
      path,
      operationId: "deleteSnapshot",
      summary: "Forgets a snapshot.",
      answer: { description: "It is forgotten." },
      handle: ({ path: { name = "" } }) => {
        snapshots.delete(name);
        return undefined;
      },
    },
    {
      method: "POST",
      path: `${path}/restore`,
      operationId: "restoreSnapshot",
      summary: "Makes a snapshot the present state, at one new revision.",
      body: RESTORE_BODY,
      answer: { description: "What has changed.", schema: RESTORED },
      handle: async (request) => ({
        json: await snapshots.restore(request.path["name"] ?? "", bodyOf<RestoreOptions>(request)),
      }),
    },
  ];
}

function branchRoutes(branches: Branches, snapshots: Snapshots): ControlRoute[] {
  const path = "/branches/{name}";
  const from = { ...NAME, description: "A snapshot or a branch to begin with; left out: the present state." };
  return [
    {
      method: "GET",
      path: "/branches",
      operationId: "listBranches",
      summary: "The lines of state there are, by name. One of them is the current one, at the start main.",
      answer: { description: "All of them.", schema: list(BRANCH) },
      handle: () => ({ json: { items: branches.list().map(branchJson) } }),
    },
    {
      method: "POST",
      path: "/branches",
      operationId: "createBranch",
      summary: "Makes a branch. The current branch stays the current one.",
      body: { schema: object(["name"], { name: NAME, from }), required: true },
      answer: { description: "The branch.", schema: BRANCH },
      handle: (request) => {
        const { name = "", from: origin } = bodyOf<{ name: string; from: string }>(request);
        const begin = origin === undefined ? undefined : beginning(branches, snapshots, origin);
        return { json: branchJson(branches.create(name, begin)) };
      },
    },
    {
      method: "POST",
      path: `${path}/checkout`,
      operationId: "checkoutBranch",
      summary: "Leaves the current branch as it stands and makes another one the current one.",
      body: RESTORE_BODY,
      answer: { description: "What has changed.", schema: RESTORED },
      handle: async (request) => ({
        json: await branches.checkout(request.path["name"] ?? "", bodyOf<RestoreOptions>(request)),
      }),
    },
    {
      method: "DELETE",
      path,
      operationId: "deleteBranch",
      summary: "Forgets a branch that is not the current one.",
      answer: { description: "It is forgotten." },
      handle: ({ path: { name = "" } }) => {
        branches.delete(name);
        return undefined;
      },
    },
  ];
}

/** A snapshot goes before a branch of the same name. Throws 404. */
function beginning(branches: Branches, snapshots: Snapshots, name: string): SavedState {
  return snapshots.list().find(([known]) => known === name)?.[1] ?? branches.stateOf(name);
}

const snapshotJson = (name: string, { revision, savedAtMs, items }: SavedState) => ({
  name,
  revision,
  savedAt: formatTime(savedAtMs),
  keys: items.size,
});

const branchJson = ({ name, current, state }: Branch) => ({
  name,
  current,
  ...(state === undefined ? {} : { revision: state.revision }),
});
