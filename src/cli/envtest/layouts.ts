// Folder layouts in which programs look for the executables: a flat folder, or `k8s/VERSION-OS-ARCH` below the
// download folder of each program.
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { API_VERSION } from "../../apiserver/endpoints/discovery/discovery.ts";
import type { Environment } from "../../server/options/read-command-line.ts";

interface Layout {
  /** Path below the named folder. */
  readonly below: string;
  /** The default folder. */
  readonly usual: (env: Environment) => string;
  /** Whether the program requires a kubectl. */
  readonly needsKubectl: boolean;
}

/** Go's name of the architecture. */
const ARCH = process.arch === "x64" ? "amd64" : process.arch;
/** Programs parse dotted versions, and most projects request the first patch release of a minor version. */
const VERSIONED = join("k8s", `${API_VERSION}.0-${process.platform}-${ARCH}`);

const atHome = (name: string): string => join(homedir(), name);
const cacheFolder = ({ XDG_CACHE_HOME: given }: Environment): string => given || atHome(".cache");

export const LAYOUTS = {
  flat: {
    below: "",
    usual: (env) => join(cacheFolder(env), "egret", "envtest"),
    needsKubectl: false,
  },
  "setup-envtest": {
    below: VERSIONED,
    usual: ({ XDG_DATA_HOME: given }) => join(given || atHome(".local/share"), "kubebuilder-envtest"),
    needsKubectl: false,
  },
  "kube-api-test": {
    below: VERSIONED,
    usual: ({ KUBE_API_TEST_DIR: given }) => given || atHome(".kubeapitest"),
    needsKubectl: true,
  },
  jenvtest: { below: VERSIONED, usual: () => atHome(".jenvtest"), needsKubectl: true },
} as const satisfies Readonly<Record<string, Layout>>;

export type LayoutName = keyof typeof LAYOUTS;

export const LAYOUT_NAMES = Object.keys(LAYOUTS) as readonly LayoutName[]; // its own keys

/** The folder of the executables. */
export function assetsFolder(name: LayoutName, named: string | undefined, env: Environment): string {
  const { below, usual } = LAYOUTS[name];
  return join(named ?? usual(env), below);
}
