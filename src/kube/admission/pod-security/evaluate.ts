// The Pod Security Standards: the checks of each level, the Kubernetes versions that they apply to, and their
// evaluation.
import * as baseline from "./baseline.ts";
import { type Check, type Finding, type PodView, unlessOwnUsers, unlessWindows } from "./pod-view.ts";
import type { LevelVersion } from "./policy.ts";
import * as restricted from "./restricted.ts";

interface CheckDefinition {
  readonly id: string;
  /** The check by the minor version that introduced it, ascending. */
  readonly versions: readonly (readonly [minor: number, check: Check])[];
  /** The check of the lower level that it replaces. */
  readonly overrides?: string;
}

/** In the order of findings in messages. */
const BASELINE: readonly CheckDefinition[] = [
  { id: "appArmorProfile", versions: [[0, baseline.appArmorProfile]] },
  { id: "capabilities_baseline", versions: [[0, baseline.capabilities]] },
  { id: "hostNamespaces", versions: [[0, baseline.hostNamespaces]] },
  { id: "hostPathVolumes", versions: [[0, baseline.hostPathVolumes]] },
  { id: "hostPorts", versions: [[0, baseline.hostPorts]] },
  { id: "hostProbesAndHostLifecycle", versions: [[34, baseline.hostProbes]] },
  { id: "privileged", versions: [[0, baseline.privileged]] },
  {
    id: "procMount",
    versions: [
      [0, baseline.procMount],
      [35, unlessOwnUsers(baseline.procMount)],
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      [0, baseline.seLinuxOptions()],
      [31, baseline.seLinuxOptions(baseline.SE_LINUX_TYPES_1_31)],
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      [0, baseline.seccompAnnotations],
      [19, baseline.seccompProfile],
    ],
  },
  {
    id: "sysctls",
    versions: [
      [0, baseline.sysctls()],
      [27, baseline.sysctls(baseline.SYSCTLS_1_27)],
      [29, baseline.sysctls(baseline.SYSCTLS_1_29)],
      [32, baseline.sysctls(baseline.SYSCTLS_1_32)],
    ],
  },
  { id: "windowsHostProcess", versions: [[0, baseline.windowsHostProcess]] },
];

const RESTRICTED: readonly CheckDefinition[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      [8, restricted.allowPrivilegeEscalation],
      [25, unlessWindows(restricted.allowPrivilegeEscalation)],
    ],
  },
  {
    id: "capabilities_restricted",
    versions: [
      [22, restricted.droppedCapabilities],
      [25, unlessWindows(restricted.droppedCapabilities)],
    ],
    overrides: "capabilities_baseline",
  },
  { id: "procMount_restricted", versions: [[35, baseline.procMount]], overrides: "procMount" },
  {
    id: "restrictedVolumes",
    versions: [[0, restricted.restrictedVolumes]],
    overrides: "hostPathVolumes",
  },
  {
    id: "runAsNonRoot",
    versions: [
      [0, restricted.runAsNonRoot],
      [35, unlessOwnUsers(restricted.runAsNonRoot)],
    ],
  },
  {
    id: "runAsUser",
    versions: [
      [23, restricted.runAsUser],
      [35, unlessOwnUsers(restricted.runAsUser)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    versions: [
      [19, restricted.demandedSeccompProfile],
      [25, unlessWindows(restricted.demandedSeccompProfile)],
    ],
    overrides: "seccompProfile_baseline",
  },
];

const checkAt = ({ versions }: CheckDefinition, minor: number): Check | undefined =>
  versions.findLast(([since]) => since <= minor)?.[1];

/** The violations of the level by the Pod, by the rules of that version. */
export function evaluatePod(
  { level, minor = Number.POSITIVE_INFINITY }: LevelVersion,
  pod: PodView,
): Finding[] {
  if (level === "privileged") return [];
  const stricter = level === "restricted" ? RESTRICTED.filter((check) => checkAt(check, minor)) : [];
  const overridden = stricter.map(({ overrides }) => overrides);
  return [...BASELINE.filter(({ id }) => !overridden.includes(id)), ...stricter]
    .map((check) => checkAt(check, minor)?.(pod))
    .filter((finding) => finding !== undefined);
}

export const shortly = (findings: readonly Finding[]): string =>
  findings.map(({ reason }) => reason).join(", ");

export const inDetail = (findings: readonly Finding[]): string =>
  findings.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
