// The Pod Security policy in the labels of a Namespace: levels of enforce, warn and audit.
import { type FieldError, invalid } from "../../../apimachinery/meta/field-error.ts";

export const LEVELS = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof LEVELS)[number];

export interface LevelVersion {
  readonly level: Level;
  /** Minor version of Kubernetes 1; undefined: latest. */
  readonly minor?: number | undefined;
}

const MODES = ["enforce", "audit", "warn"] as const;
type Mode = (typeof MODES)[number];

export interface PodPolicy extends Readonly<Record<Mode, LevelVersion>> {
  /** Invalid labels. */
  readonly errors: readonly FieldError[];
}

const PREFIX = "pod-security.kubernetes.io/";
const VERSION = /^v1\.(\d|[1-9]\d*)$/;

/** An invalid enforce level counts as the strictest one; an invalid warn or audit level has no effect. */
export function readPolicy(labels: Readonly<Record<string, string>> | undefined): PodPolicy {
  const errors: FieldError[] = [];
  const complain = (label: string, value: string, rule: string) =>
    void errors.push(invalid(`metadata.labels[${label}]`, value, rule));
  const readLevel = (mode: Mode): Level => {
    const label = PREFIX + mode;
    const given = labels?.[label];
    const level = LEVELS.find((item) => item === (given ?? "privileged"));
    if (level !== undefined) return level;
    complain(label, given ?? "", `must be one of ${LEVELS.join(", ")}`);
    return mode === "enforce" ? "restricted" : "privileged";
  };
  const readMinor = (mode: Mode): number | undefined => {
    const label = `${PREFIX}${mode}-version`;
    const given = labels?.[label];
    if (given === undefined || given === "latest") return undefined;
    const minor = VERSION.exec(given)?.[1];
    if (minor === undefined) complain(label, given, 'must be "latest" or "v1.x"');
    return minor === undefined ? undefined : Number(minor);
  };
  const read = (mode: Mode): LevelVersion => ({ level: readLevel(mode), minor: readMinor(mode) });
  return { enforce: read("enforce"), audit: read("audit"), warn: read("warn"), errors };
}

export const showPolicy = ({ level, minor }: LevelVersion): string =>
  `${level}:${minor === undefined ? "latest" : `v1.${minor}`}`;

/** Whether `after` is stricter than `before`, or the same level of another version. */
export const isTightened = (before: LevelVersion, after: LevelVersion): boolean =>
  after.level !== "privileged" &&
  (before.minor !== after.minor || LEVELS.indexOf(after.level) > LEVELS.indexOf(before.level));
