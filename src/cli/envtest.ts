// `egret envtest`: executables for test suites that start their own control plane.

import { StartError } from "../server/errors.ts";
import { type CommandLine, type Environment, textOf } from "../server/options/read-command-line.ts";
import { usageError } from "./commands.ts";
import { type Assets, writeAssets } from "./envtest/assets.ts";
import { assetsFolder, LAYOUT_NAMES, LAYOUTS, type LayoutName } from "./envtest/layouts.ts";
import { printDocument, printError } from "./output.ts";

/** Prints the path of the written folder. Throws UsageError and StartError. */
export async function envtest({ values, words }: CommandLine, env: Environment): Promise<void> {
  const [named, ...more] = words;
  if (more.length > 0) throw usageError("name one folder", "envtest");
  const given = textOf(values, "layout", "flat");
  const layout = LAYOUT_NAMES.find((name) => name === given) ?? "flat"; // validated by the command-line parser
  const assets = await writeAssets(assetsFolder(layout, named, env));
  checkKubectl(assets, layout);
  printDocument(`${assets.folder}\n`);
  if (values.get("print-path") !== true) printError(`export KUBEBUILDER_ASSETS=${assets.folder}\n`);
}

function checkKubectl({ folder, kubectl }: Assets, layout: LayoutName): void {
  if (kubectl !== undefined) return;
  const missing = `no kubectl is installed, so that ${folder} has none`;
  if (LAYOUTS[layout].needsKubectl) throw new StartError(`${missing}, which ${layout} needs`);
  printError(`egret: ${missing}: suites that call kubectl fail\n`);
}

/** Variables in which suites of Go, Java, Rust and others look for their executables. */
export const assetsEnvironment = ({ folder }: Assets): Environment => ({
  KUBEBUILDER_ASSETS: folder,
  TEST_ASSET_KUBE_APISERVER: `${folder}/kube-apiserver`,
  TEST_ASSET_ETCD: `${folder}/etcd`,
  TEST_ASSET_KUBECTL: `${folder}/kubectl`,
});
