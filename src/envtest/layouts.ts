// Where programs look for the executables: as they lie in one folder, or below `k8s/VERSION-OS-ARCH` of a folder that each
// program has for its downloads.
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { API_VERSION } from "../apiserver/discovery/discovery.ts";
import type { Environment } from "../server/command-line/read-command-line.ts";

interface Layout {
  /** Below the folder that is named. */
  readonly below: string;
  /** The folder where none is named. */
  readonly usual: (env: Environment) => string;
  /** Whether the program starts no suite without a kubectl. */
  readonly needsKubectl: boolean;
}

/** As Go names it. */
const ARCH = process.arch === "x64" ? "amd64" : process.arch;
/** The programs read dotted numbers, and most projects ask for the first patch of a minor. */
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
