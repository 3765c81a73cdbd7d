// What startEgret() is given, checked, as the options of a server.
import type { Fault } from "../control/faults/fault.ts";
import { controllerDescriptors } from "../controllers/index.ts";
import { cloneJson, isObject } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { UsageError } from "../server/errors.ts";
import { looksLikeObject, parseManifests } from "../server/given.ts";
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
  /** What is there from the start, and again after reset(): YAML text, objects, or several of both. */
  readonly objects?: ObjectsGiven;
  /**
   * The controllers that run: `[]` none, `["egressip", "namespace"]` these, `["*", "-egressip"]` all but one. Left out:
   * those that a server has by default.
   */
  readonly controllers?: readonly string[];
  /**
   * Which of the custom kinds that Egret ships are installed: "all" (the default), "none", or groups and plural names as
   * `["k8s.ovn.org", "ippools"]`. Controllers of other kinds do not run.
   */
  readonly kinds?: "all" | "none" | readonly string[];
  /** What goes wrong for the controller that is tested; see `server.faults`. */
  readonly faults?: readonly Fault[];
  /**
   * "frozen": time stands still until `server.clock` moves it. A Date or an RFC 3339 text: it stands still at that
   * time. Left out: the real time.
   */
  readonly clock?: "real" | "frozen" | Date | (string & {});
  /** With a seed and a frozen clock two runs of the same requests give the same bytes. */
  readonly seed?: string | number;
  /** Left out: in memory. A folder is kept, and a later server can go on from it. */
  readonly storage?: "memory" | { readonly folder: string };
  /** How long past revisions can be read: a duration as "1h", or "all". Left out: five minutes. */
  readonly retain?: string;
  /** HTTPS with an authority and a token of its own, both in the kubeconfig. */
  readonly secure?: boolean;
  /** Writes the kubeconfig to this path too; see also writeKubeconfig(). */
  readonly kubeconfig?: string;
  /** What else the flags of `egret serve` say, by their names in camel case: `{ platform: "aws" }`. */
  readonly server?: Readonly<Partial<Omit<ServerOptions, OwnOption>>>;
}

/** What has an option of its own here, or makes no sense for a server in a test. */
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
  objects: anyValue, // checked when they are read
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

/** Options of the server that have another form here: the option that takes their place. */
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

/** Their values are checked by the server. */
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

/** The options of the server behind it. Throws EgretOptionsError. */
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

/** The objects in their order, as copies; Lists are taken apart. Throws ManifestError for what is no object. */
export function readObjects(given: ObjectsGiven, where: string): KubeObject[] {
  const all = Array.isArray(given) ? given : [given];
  return all.flatMap((item: unknown) => {
    if (typeof item === "string") return parseManifests(where, item);
    if (isObject(item) && Array.isArray(item["items"])) return readObjects(item["items"], where);
    if (looksLikeObject(item)) return [cloneJson(item)];
    throw new TypeError(`${where} holds something that is no Kubernetes object: ${JSON.stringify(item)}`);
  });
}
