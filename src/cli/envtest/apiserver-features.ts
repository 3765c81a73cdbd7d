// Validation of --feature-gates, --runtime-config and --emulated-version as in a kube-apiserver v1.36. Gates that
// are on upstream are implemented. Settings without an effect are reported, so that suites do not rely on them.

import { parseGoBool } from "../../apimachinery/go/strconv.ts";
import { API_VERSION } from "../../apiserver/endpoints/discovery/discovery.ts";
import { UsageError } from "../../server/errors.ts";
import { ALPHA_FEATURES } from "../../server/options/options.ts";
import { FEATURE_GATES, type FeatureGate } from "./feature-gates.ts";
import { type GoValues, listOf } from "./go-flags.ts";

/**
 * One line for each requested feature or version that is not implemented. Throws UsageError with the messages of a
 * kube-apiserver.
 */
export function featureNotes(values: GoValues): string[] {
  checkEmulatedVersion(listOf(values, "emulated-version"));
  return [
    ...listOf(values, "feature-gates").flatMap(gateNote),
    ...listOf(values, "runtime-config").flatMap(apiNote),
  ];
}

const COMPONENT = "kube";

interface Setting {
  readonly name: string;
  readonly isOn: boolean;
  readonly gate: FeatureGate;
}

/** Parses a pair of --feature-gates. Throws UsageError for an unknown gate or an invalid boolean. */
function readSetting(pair: string): Setting {
  const [, component = COMPONENT, name = "", value] = /^(?:([^:=]*):)?([^=]*)(?:=(.*))?$/.exec(pair) ?? [];
  if (component !== COMPONENT) throw new UsageError(`component not registered: ${component}`);
  if (value === undefined) throw new UsageError(`missing bool value for ${name}`);
  const gate = FEATURE_GATES.get(name);
  if (gate === undefined) throw new UsageError(`unrecognized feature gate: ${name}`);
  const isOn = parseGoBool(value);
  if (isOn === undefined)
    throw new UsageError(
      `invalid value of ${name}=${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`,
    );
  return { name, isOn, gate };
}

/** The gates that are options of the server, in its syntax. Throws UsageError. */
export const ownGates = (pairs: readonly string[]): string[] =>
  pairs
    .map(readSetting)
    .filter(({ name }) => ALPHA_FEATURES.includes(name))
    .map(({ name, isOn }) => `${name}=${isOn}`);

function gateNote(pair: string): string[] {
  const { name, isOn, gate } = readSetting(pair);
  if (isOn === gate.isOn || ALPHA_FEATURES.includes(name)) return [];
  if (gate.isLocked)
    throw new UsageError(`cannot set feature gate ${name} to ${isOn}, feature is locked to ${gate.isOn}`);
  return [
    `the ${gate.stage} feature ${name} is ${gate.isOn ? "always on" : "not there"}: ${pair} has no effect`,
  ];
}

/** Versions that a kube-apiserver serves only if --runtime-config enables them. */
const NOT_SERVED = [
  "admissionregistration.k8s.io/v1alpha1",
  "admissionregistration.k8s.io/v1beta1",
  "coordination.k8s.io/v1alpha2",
  "coordination.k8s.io/v1beta1",
  "internal.apiserver.k8s.io/v1alpha1",
  "networking.k8s.io/v1beta1",
  "resource.k8s.io/v1alpha3",
  "resource.k8s.io/v1beta1",
  "resource.k8s.io/v1beta2",
  "scheduling.k8s.io/v1alpha2",
  "storage.k8s.io/v1alpha1",
  "storage.k8s.io/v1beta1",
];

/** Versions that a kube-apiserver serves by default. */
const SERVED = [
  ...["admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1", "apiregistration.k8s.io/v1", "apps/v1"],
  ...["authentication.k8s.io/v1", "authorization.k8s.io/v1", "autoscaling/v1", "autoscaling/v2", "batch/v1"],
  ...["certificates.k8s.io/v1", "coordination.k8s.io/v1", "discovery.k8s.io/v1", "events.k8s.io/v1"],
  ...["flowcontrol.apiserver.k8s.io/v1", "networking.k8s.io/v1", "node.k8s.io/v1", "policy/v1"],
  ...[
    "rbac.authorization.k8s.io/v1",
    "resource.k8s.io/v1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1",
    "v1",
  ],
];

/** Keys for stability levels, and the versions of each. */
const LEVELS: ReadonlyMap<string, RegExp> = new Map([
  ["api/all", /./],
  ["api/ga", /(?:^|\/)v\d+$/],
  ["api/beta", /beta\d+$/],
  ["api/alpha", /alpha\d+$/],
  ["api/legacy", /^$/],
]);

function apiNote(pair: string): string[] {
  const at = pair.indexOf("=");
  const [key, value] = at < 0 ? [pair, "true"] : [pair.slice(0, at), pair.slice(at + 1)];
  const isOn = parseGoBool(value === "" ? "true" : value);
  const level = LEVELS.get(key);
  if (isOn === undefined)
    throw new UsageError(
      level === undefined
        ? `invalid value of ${key}: ${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`
        : `invalid value ${key}=${value}`,
    );
  const chosen =
    level === undefined ? [versionOf(key)] : [...NOT_SERVED, ...SERVED].filter((name) => level.test(name));
  const missing = chosen.filter((name) => NOT_SERVED.includes(name));
  const served = chosen.filter((name) => SERVED.includes(name));
  if (isOn) return missing.length === 0 ? [] : [`${pair}: not there are ${missing.join(", ")}`];
  if (served.length > 0)
    throw new UsageError(`--runtime-config ${pair} is not supported: ${served[0] ?? ""} is always served`);
  return [];
}

/** The group version of a key, which may also name a resource. */
function versionOf(key: string): string {
  const parts = key.split("/");
  const name = parts[0] === "v1" ? "v1" : parts.slice(0, 2).join("/");
  if (parts.length > 3 || (parts.length < 2 && name !== "v1"))
    throw new UsageError(`runtime-config invalid key ${key}`);
  if ([...NOT_SERVED, ...SERVED].includes(name)) return name;
  const isGroup = [...NOT_SERVED, ...SERVED].some((other) => other.startsWith(`${parts[0] ?? ""}/`));
  throw new UsageError(
    isGroup ? `group version ${name} that has not been registered` : `unknown api groups ${name}`,
  );
}

function checkEmulatedVersion(given: readonly string[]): void {
  for (const item of given) {
    const version = item.replace(/^kube[:=]/, "").replace(/^v/, "");
    if (version !== API_VERSION && !version.startsWith(`${API_VERSION}.`))
      throw new UsageError(
        `--emulated-version ${item} is not supported: the behaviour is that of ${API_VERSION}`,
      );
  }
}
