// What `egret status` is told of a server.
import { resolve } from "node:path";
import process from "node:process";
import { versionInfo } from "../apiserver/discovery/version-info.ts";
import type { ServerStatus } from "../control/about-routes.ts";
import { formatTime } from "../meta/clock.ts";
import { EVERY_KEY, type Store } from "../storage/store.ts";
import { EGRET_VERSION } from "./api-paths.ts";
import type { ServerOptions } from "./options/options.ts";

export interface StatusSource {
  readonly options: ServerOptions;
  readonly store: Store;
  /** By the machine's clock. */
  readonly startedAtMs: number;
  /** Where it listens and what it has written, once it does. */
  readonly state: { readonly url: string; readonly kubeconfig: string };
  readonly controllers: () => readonly string[];
}

/** What the control surface tells of the server; `egret status` prints it. */
export function serverStatus({
  options,
  store,
  startedAtMs,
  state,
  controllers,
}: StatusSource): ServerStatus {
  const { gitVersion } = versionInfo({ egretVersion: EGRET_VERSION, buildDate: "", platform: "" });
  return {
    url: state.url,
    pid: process.pid,
    version: EGRET_VERSION,
    kubernetesVersion: gitVersion,
    profile: options.profile,
    dataDir: options.inMemory ? "" : resolve(options.dataDir),
    kubeconfig: state.kubeconfig === "" ? "" : resolve(state.kubeconfig),
    startedAt: formatTime(startedAtMs),
    controllers: controllers(),
    objects: store.count(EVERY_KEY),
    revision: store.revision,
  };
}
