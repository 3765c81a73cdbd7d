// The options of startEgret(): validation, and conversion to server options.

import { cloneJson, isObject } from "../apimachinery/json/json.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { Fault } from "../features/faults/fault.ts";
import { controllerDescriptors } from "../server/controller-list.ts";
import { UsageError } from "../server/errors.ts";
import { looksLikeObject, parseManifests } from "../server/manifests.ts";
import { DEFAULT_OPTIONS, type ServerOptions } from "../server/options/options.ts";
import { ALL_KINDS, checkKinds, NO_KINDS } from "../server/options/shipped-kinds.ts";
import {
  anyValue,
  type Checks,
  checkOptions,
  EgretOptionsError,
  isFlag,
  isPlainObject,
  isText,
  unknownOption,
} from "./check-options.ts";
import type { AnyObject, ApiObject } from "./kinds.ts";

export interface StartEgretOptions {
  /** Objects that exist from the start and after each reset(): YAML text, objects, or several of both. */
  readonly objects?: ObjectsGiven;
  /**
   * The controllers to run: `[]` none, `["egressip", "namespace"]` these, `["*", "-egressip"]` all but one. Default:
   * those of a server.
   */
  readonly controllers?: readonly string[];
  /**
   * The custom kinds of Egret to install: "all" (default), "none", or groups and plural names as `["k8s.ovn.org",
   * "ippools"]`. Controllers of other kinds do not run.
   */
  readonly kinds?: "all" | "none" | readonly string[];
  /** Faults for the requests of the controller under test; see `server.faults`. */
  readonly faults?: readonly Fault[];
  /**
   * "frozen": only `server.clock` advances the time. A Date or an RFC 3339 text: frozen at that time. Default: real
   * time.
   */
  readonly clock?: "real" | "frozen" | Date | (string & {});
  /** With a seed and a frozen clock, the same requests give the same bytes in every run. */
  readonly seed?: string | number;
  /** Default: in memory. A folder is kept, and a later server can continue with it. */
  readonly storage?: "memory" | { readonly folder: string };
  /** How long past revisions are readable: a duration as "1h", or "all". Default: five minutes. */
  readonly retain?: string;
  /** HTTPS with its own CA and a token, both in the kubeconfig. */
  readonly secure?: boolean;
  /** Writes the kubeconfig to this path, too; see also writeKubeconfig(). */
  readonly kubeconfig?: string;
  /** Further options of `egret serve`, by flag names in camel case: `{ platform: "aws" }`. */
  readonly server?: Readonly<Partial<Omit<ServerOptions, OwnOption>>>;
}

/** Options that have a separate option here, or do not apply to a server in a test. */
type OwnOption =
  | "clock"
  | "controllers"
  | "dataDir"
  | "inMemory"
  | "kinds"
  | "kubeconfig"
  | "readyFile"
  | "retain"
  | "secure"
  | "seed";

const CHECKS: Checks<StartEgretOptions> = {
  objects: anyValue, // validated on reading
  controllers: controllersComplaint,
  kinds: kindsComplaint,
  faults: (value) => (Array.isArray(value) ? undefined : "a list"),
  clock: (value) =>
    typeof value === "string" || value instanceof Date ? undefined : '"real", "frozen" or a time',
  seed: (value) => (typeof value === "string" || Number.isFinite(value) ? undefined : "a text or a number"),
  storage: (value) => (value === "memory" || isFolder(value) ? undefined : '"memory" or { folder: PATH }'),
  retain: isText,
  secure: isFlag,
  kubeconfig: isText,
  server: isPlainObject,
};

/** Server options that have another form here: the option to use instead. */
const OWN_OPTIONS: Readonly<Record<OwnOption, string>> = {
  clock: "clock",
  controllers: "controllers",
  dataDir: "storage",
  inMemory: "storage",
  kinds: "kinds",
  kubeconfig: "kubeconfig",
  readyFile: "kubeconfig",
  retain: "retain",
  secure: "secure",
  seed: "seed",
};

const hasOwnOption = (name: string): name is OwnOption => Object.hasOwn(OWN_OPTIONS, name);

/** The server validates their values. */
function checkServerOptions(given: object): void {
  const known = Object.keys(DEFAULT_OPTIONS).filter((name) => !hasOwnOption(name));
  for (const name of Object.keys(given)) {
    if (hasOwnOption(name))
      throw new EgretOptionsError(
        `startEgret takes no server.${name}; ${OWN_OPTIONS[name]} is an option of its own`,
      );
    if (!known.includes(name))
      throw unknownOption(
        "startEgret: server",
        name,
        known,
        "they are named as the flags of egret serve, in camel case",
      );
  }
}

function controllersComplaint(value: unknown): string | undefined {
  const known = controllerDescriptors.map(({ name }) => name);
  if (!Array.isArray(value)) return 'a list of names, such as ["*", "-egressip"]';
  const wrong: unknown = value.find(
    (name) => name !== "*" && !known.includes(String(name).replace(/^-/, "")),
  );
  return wrong === undefined
    ? undefined
    : `known, and ${JSON.stringify(wrong)} is none of ${known.join(", ")}`;
}

function kindsComplaint(value: unknown): string | undefined {
  if (value === ALL_KINDS || value === NO_KINDS) return undefined;
  if (!Array.isArray(value)) return `"${ALL_KINDS}", "${NO_KINDS}" or a list of groups and plural names`;
  try {
    checkKinds(value.join(","));
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return `known; ${error.message}`;
    throw error;
  }
}

const isFolder = (storage: unknown): boolean =>
  folderOf(storage) !== "" && Object.keys(Object(storage)).every((name) => name === "folder");

const folderOf = (storage: unknown): string =>
  typeof storage === "object" && storage !== null && "folder" in storage && typeof storage.folder === "string"
    ? storage.folder
    : "";

/** Returns the server options. Throws EgretOptionsError. */
export function serverOptionsOf(given: StartEgretOptions): Partial<ServerOptions> {
  checkOptions("startEgret", given, CHECKS);
  checkServerOptions(given.server ?? {});
  const { controllers, kinds, clock, seed, retain, secure, kubeconfig, storage, server } = given;
  const folder = folderOf(storage);
  return {
    listen: "127.0.0.1:0",
    logLevel: "silent",
    ...server,
    kubeconfig,
    ...(folder ? { dataDir: folder } : { inMemory: true }),
    ...(controllers ? { controllers: controllers.join(",") } : {}),
    ...(kinds === undefined ? {} : { kinds: typeof kinds === "string" ? kinds : kinds.join(",") }),
    ...(clock === undefined ? {} : { clock: clock instanceof Date ? clock.toISOString() : clock }),
    ...(seed === undefined ? {} : { seed: String(seed) }),
    ...(retain === undefined ? {} : { retain }),
    ...(secure === undefined ? {} : { secure }),
  };
}

// Objects as tests write them: YAML text, an object, or a list of both.

/** YAML (or JSON) with one or several documents, an object, or several of these. */
export type ObjectsGiven = string | ApiObject | AnyObject | readonly (string | ApiObject | AnyObject)[];

/** Returns copies of the objects in order; Lists are split into their items. Throws ManifestError for an invalid object. */
export function readObjects(given: ObjectsGiven, where: string): KubeObject[] {
  const all = Array.isArray(given) ? given : [given];
  return all.flatMap((item: unknown) => {
    if (typeof item === "string") return parseManifests(where, item);
    if (isObject(item) && Array.isArray(item["items"])) return readObjects(item["items"], where);
    if (looksLikeObject(item)) return [cloneJson(item)];
    throw new TypeError(`${where} holds something that is no Kubernetes object: ${JSON.stringify(item)}`);
  });
}
