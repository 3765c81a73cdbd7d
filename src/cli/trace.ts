// `egret trace`: packet traces from one pod, or from many.

import { existsSync } from "node:fs";
import type { Verdicts } from "../features/analysis/verdicts.ts";
import { blocksOfTrace } from "../ovn/tell.ts";
import { asCsv, blocksOfMany, blocksOfMatrix, matrixOf } from "../ovn/tell-many.ts";
import type { ManyTraces } from "../ovn/trace/many.ts";
import { PROTOCOLS, type Protocol, ROWS_BY } from "../ovn/trace/packet-path.ts";
import type { Trace } from "../ovn/trace/trace.ts";
import { UsageError } from "../server/errors.ts";
import type { Asked } from "./ask-server.ts";
import { TO_TRACE } from "./far-verdicts.ts";
import { printDocument } from "./output.ts";
import { factsOf, printsRole, tell, verdictOf } from "./verdict.ts";

const SENDER = /^((ns|namespace)\/[^/]+|pod\/[^/]+\/[^/]+)$/;
/** An existing file of that name has precedence; a text that begins with a dot is always a path. */
const isSender = (text: string): boolean => SENDER.test(text) && !existsSync(text);

/** Throws UsageError and StartError. */
export async function trace(asked: Asked): Promise<void> {
  if (printsRole(asked)) return;
  const from = asked.texts("from");
  const files = from.filter((text) => !isSender(text));
  const senders = [...asked.words, ...from.filter(isSender)];
  const to = asked.texts("to");
  const isMany = asked.isSet("matrix") || senders.length > 1 || to.length > 1 || senders[0]?.startsWith("n");
  if (!asked.words.every((word) => SENDER.test(word)) || (senders.length === 0 && !asked.isSet("matrix")))
    throw new UsageError(
      "say which pod sends: egret trace pod/NAMESPACE/NAME --to DESTINATION; or --from ns/NAME, for all of its pods",
    );
  const ofFiles: Asked = { ...asked, texts: (flag) => (flag === "from" ? files : asked.texts(flag)) };
  if (isMany) return traceMany(ofFiles, senders);
  const [[sender = ""], [destination]] = [senders, to];
  if (destination === undefined)
    throw new UsageError("say where to: egret trace pod/NAMESPACE/NAME --to DESTINATION");
  return traceOne(ofFiles, sender, destination);
}

async function traceOne(asked: Asked, sender: string, to: string): Promise<void> {
  checkForm(asked, "csv", "is for --matrix");
  const [, namespace = "", pod = ""] = sender.split("/");
  const protocol = protocolOf(asked);
  const facts = factsOf(asked);
  const reply = asked.isSet("reply");
  const body = { namespace, pod, to, protocol, reply, facts };
  const question = { method: "POST", path: "/trace", body } as const;
  const packet = reply ? "reply" : "new";
  const local = (verdicts: Verdicts) => verdicts.trace({ namespace, pod, to, protocol, packet });
  tell(asked, await verdictOf<Trace>(asked, question, { purpose: TO_TRACE, local }), blocksOfTrace);
}

async function traceMany(asked: Asked, from: readonly string[]): Promise<void> {
  if (asked.isSet("reply")) throw new UsageError("--reply is for one pod and one destination");
  const isMatrix = asked.isSet("matrix");
  if (!isMatrix) checkForm(asked, "csv", "is for --matrix");
  const by = ROWS_BY.find((one) => one === asked.text("by")) ?? "pod";
  const facts = factsOf(asked);
  const request = { from, to: asked.texts("to"), protocol: protocolOf(asked), by };
  const question = { method: "POST", path: "/trace/many", body: { ...request, facts } } as const;
  const local = (verdicts: Verdicts) => verdicts.traceMany(request);
  const many = await verdictOf<ManyTraces>(asked, question, { purpose: TO_TRACE, local });
  const isCsv = isMatrix && (asked.text("output") ?? "csv") === "csv";
  if (isCsv) printDocument(asCsv(matrixOf(many)));
  else tell(asked, many, isMatrix ? blocksOfMatrix : blocksOfMany);
}

function checkForm(asked: Asked, form: string, why: string): void {
  if (asked.text("output") === form) throw new UsageError(`-o ${form} ${why}`);
}

const protocolOf = (asked: Asked): Protocol =>
  PROTOCOLS.find((one) => one === asked.text("protocol")) ?? "tcp";
