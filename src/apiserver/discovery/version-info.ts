// The body of /version. Clients compare minor and gitVersion with their own, so those are the numbers of the
// Kubernetes version whose behaviour this server has; who answers is said in gitTreeState and gitCommit.

export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** "1.36": as OpenAPI documents name the version of the API. */
export const API_VERSION = "1.36";

const KUBERNETES_VERSION = "v1.36.3";

export interface BuildInfo {
  /** The version of this server: "0.1.0". */
  readonly egretVersion: string;
  /** RFC 3339. */
  readonly buildDate: string;
  /** "linux/amd64". */
  readonly platform: string;
}

export function versionInfo({ egretVersion, buildDate, platform }: BuildInfo): VersionInfo {
  return {
    major: "1",
    minor: "36",
    emulationMajor: "1",
    emulationMinor: "36",
    minCompatibilityMajor: "1",
    minCompatibilityMinor: "35",
    gitVersion: KUBERNETES_VERSION,
    gitCommit: `egret-${egretVersion}`,
    gitTreeState: "egret",
    buildDate,
    goVersion: "none",
    compiler: "gc",
    platform,
  };
}
