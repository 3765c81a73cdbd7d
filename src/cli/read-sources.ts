// The input of a command line: files or a cluster, anonymized if requested.

import { Chance } from "../apimachinery/meta/ids.ts";
import { Connection } from "../apiserver/http/kubeconfig/client.ts";
import { type Anonymiser, anonymised, anonymiser } from "../features/import/sources/anonymise/anonymise.ts";
import { readCluster } from "../features/import/sources/cluster.ts";
import type { SourceItem } from "../features/import/sources/source.ts";
import { UsageError } from "../server/errors.ts";
import { filesOf, type ReadSources, readItems } from "../server/import-sources.ts";
import { type Asked, rejectKnown } from "./ask-server.ts";

/** Throws UsageError and StartError. */
export function readAsked(asked: Asked, onRead: (count: number) => void): Promise<ReadSources> {
  const items = itemsOf(asked);
  const others = anonymiserOf(asked);
  return readItems(others === undefined ? items : anonymised(items, others), onRead);
}

function itemsOf(asked: Asked): AsyncIterable<SourceItem> {
  const kubeconfig = asked.text("from-kubeconfig");
  if (kubeconfig === undefined) {
    if (asked.words.length === 0) throw new UsageError("say what to read: PATH…, or --from-kubeconfig PATH");
    return filesOf(asked.words, asked.limits());
  }
  if (asked.words.length > 0) throw new UsageError("read files, or a cluster: not both at once");
  const connection = new Connection({ paths: [kubeconfig], context: asked.text("from-context") });
  return readCluster((path) => connection.request({ method: "GET", path, isLarge: true }).catch(rejectKnown));
}

/** undefined: names are not changed. Throws UsageError. */
export function anonymiserOf(asked: Asked): Anonymiser | undefined {
  const key = asked.text("key");
  if (asked.isSet("anonymise")) return anonymiser(key ?? new Chance().ids.uid());
  if (key !== undefined) throw new UsageError("--key is for --anonymise");
  return undefined;
}
