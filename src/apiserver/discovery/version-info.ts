// The body of /version. Clients compare minor and gitVersion with their own, so those are the numbers of the
// Kubernetes version whose behaviour this server has; who answers is said in gitTreeState and gitCommit.

/** "1.36": as OpenAPI documents name the version of the API. */
export const API_VERSION = "1.36";

export interface BuildInfo {
  /** The version of this server: "0.1.0". */
  readonly egretVersion: string;
  /** RFC 3339. */
  readonly buildDate: string;
  /** "linux/amd64". */
  readonly platform: string;
}

export type VersionInfo = Readonly<ReturnType<typeof versionInfo>>;

export function versionInfo({ egretVersion, buildDate, platform }: BuildInfo) {
  return {
    major: "1",
    minor: "36",
    emulationMajor: "1",
    emulationMinor: "36",
    minCompatibilityMajor: "1",
    minCompatibilityMinor: "35",
    gitVersion: `v${API_VERSION}.3`,
    gitCommit: `egret-${egretVersion}`,
    gitTreeState: "egret",
    buildDate,
    goVersion: "none",
    compiler: "gc",
    platform,
  };
}
