// Layouts of the dumps of various tools: which files hold objects, and what a path implies for objects without kind or
// apiVersion. A layout is recognised by one of its paths. From then on only the files of that layout are read.
import type { Entry, Layout } from "./entry.ts";
import { insights } from "./insights.ts";
import { kindOfFile } from "./kind-of-file.ts";

/** Files that kubectl reads in a folder, and the output of jq. */
const ENDINGS = /\.(yaml|yml|json|jsonl|ndjson)$/;

const DISCOVERY = /(^|\/)aggregated-discovery-apis?\.yaml$/;
const GATHERED_CLUSTER = /(?:^|\/)cluster-scoped-resources\/([^/]+)\/([^/]+?)(?:\/[^/]+)?\.yaml$/;
const GATHERED_IN_NAMESPACE = /(?:^|\/)namespaces\/[^/]+\/([^/]+)\/([^/]+?)(?:\/[^/]+)?\.yaml$/;

const groupIn = (word: string): string => (word === "core" ? "" : word);

/** `oc adm must-gather`, also for several images, and `oc adm inspect`. */
const gathered: Layout = {
  mark: /(^|\/)(cluster-scoped-resources\/|namespaces\/[^/]+\/(core|[a-z0-9-]+(\.[a-z0-9-]+)+|pods\/[^/]+)\/[^/]+\.yaml$)/,
  notes: {
    form: "a must-gather",
    lacks: "namespaces of users are not collected: pods and labels that egress objects select may be missing",
  },
  entryAt(path) {
    if (DISCOVERY.test(path)) return {};
    if (!/\.ya?ml$/.test(path) || !/(^|\/)(cluster-scoped-resources|namespaces)\//.test(path))
      return undefined;
    const cluster = GATHERED_CLUSTER.exec(path);
    const [, group = "", resource = ""] = cluster ?? GATHERED_IN_NAMESPACE.exec(path) ?? [];
    if (group === "" || (cluster === null && group === "pods")) return {};
    return { place: { group: groupIn(group), resource, namespaced: cluster === null } };
  },
};

const VELERO = /(?:^|\/)resources\/([^/.]+)(?:\.([^/]+))?\/(cluster|namespaces)\/(?:[^/]+\/)?[^/]+\.json$/;

/** The backup repeats each object per version of its kind, below a folder with the name of the version. */
const velero: Layout = {
  mark: VELERO,
  notes: { form: "a Velero backup" },
  entryAt(path) {
    const [, resource, group = "", scope] = VELERO.exec(path) ?? [];
    return resource === undefined
      ? undefined
      : { place: { group, resource, namespaced: scope === "namespaces" } };
  },
};

const BUNDLED = /(?:^|\/)cluster-resources\/(.+)\.json$/;
const BUNDLED_VERSION = /(^|\/)cluster-info\/cluster_version\.json$/;

/** A bundle of troubleshoot.sh. It contains custom resources twice, as JSON and as YAML. */
const supportBundle: Layout = {
  mark: /(^|\/)cluster-resources\//,
  notes: { form: "a support bundle" },
  entryAt(path) {
    if (BUNDLED_VERSION.test(path)) return {};
    const [, name] = BUNDLED.exec(path) ?? [];
    if (name === undefined || /-errors$|^groups$|^auth-cani-list\/|^pods\/logs\//.test(name))
      return undefined;
    const [, plural, group] = /^custom-resources\/([^/.]+)\.([^/]+?)(?:\/[^/]+)?$/.exec(name) ?? [];
    if (plural === undefined) return { place: kindOfFile(name) ?? {} };
    return { place: { group: group ?? "", resource: plural, namespaced: name.split("/").length > 2 } };
  },
};

/** Bundles of hosts contain kernel and system data, but no objects. */
const hostBundle: Layout = {
  mark: /(^|\/)host-collectors\//,
  notes: {},
  entryAt: () => undefined,
};

const KIT = /(?:^|\/)yamls\/(cluster|namespaced)\/(.+)\.yaml$/;

/** Rancher's support-bundle-kit: `yamls/cluster/GROUP/VERSION/RESOURCE.yaml`, without a group for the core. */
const supportBundleKit: Layout = {
  mark: KIT,
  notes: { form: "a bundle of support-bundle-kit" },
  entryAt(path) {
    const [, scope, rest = ""] = KIT.exec(path) ?? [];
    if (scope === undefined) return undefined;
    const parts = rest.split("/").slice(scope === "cluster" ? 0 : 1); // after the namespace
    const [resource = "", , group = ""] = parts.reverse();
    return { place: { group, resource, namespaced: scope === "namespaced" } };
  },
};

const SONOBUOY = /(?:^|\/)resources\/(cluster|ns\/[^/]+)\/([^/]+)\.json$/;

/** File names differ by version: `Nodes.json`, `core_v1_nodes.json`. */
const sonobuoy: Layout = {
  mark: /(^|\/)resources\/(cluster\/[^/]+\.json$|ns\/)/,
  notes: { form: "a result of Sonobuoy" },
  entryAt(path) {
    const [, , name] = SONOBUOY.exec(path) ?? [];
    if (name === undefined) return undefined;
    const [, group, resource = name] = /^([^_]+)_[^_]+_(.+)$/.exec(name) ?? [];
    const known = kindOfFile(resource);
    return { place: group === undefined ? (known ?? {}) : { ...known, group: groupIn(group), resource } };
  },
};

const LAYOUTS: readonly Layout[] = [
  velero,
  sonobuoy,
  supportBundleKit,
  supportBundle,
  hostBundle,
  insights,
  gathered,
];

/** The layouts of one folder or archive, as they are recognised. */
export class Layouts {
  readonly #found: Layout[] = [];

  /** The layout that this path identifies; undefined: none, or one that was recognised before. */
  recognise(path: string): Layout | undefined {
    const layout = LAYOUTS.find(({ mark }) => mark.test(path));
    if (layout === undefined || this.#found.includes(layout)) return undefined;
    this.#found.push(layout);
    return layout;
  }

  /** Whether the dump contains hosts only. */
  get isOfHosts(): boolean {
    return this.#found.includes(hostBundle) && !this.#found.includes(supportBundle);
  }

  /** undefined: the file is ignored. */
  entryAt(path: string): Entry | undefined {
    if (!ENDINGS.test(path)) return undefined;
    if (this.#found.length === 0) return { place: kindOfFile(nameOf(path)) ?? {} };
    for (const layout of this.#found) {
      const entry = layout.entryAt(path);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1).replace(ENDINGS, "");
