// `egret clock`: what time it is for a running server; stops its clock, sets it, and lets time pass.

import process from "node:process";
import type { ClockState } from "../control/clock/clock-control.ts";
import { CONTROL_PREFIX } from "../control/control-route.ts";
import { commandOf } from "../server/command-line/commands.ts";
import { usageLine } from "../server/command-line/help.ts";
import type { CommandLine, Environment } from "../server/command-line/read-command-line.ts";
import { UsageError } from "../server/errors.ts";
import { type Asked, askedBy } from "./ask-server.ts";

/** Throws UsageError and StartError. */
export async function clock(line: CommandLine, env: Environment): Promise<number> {
  const asked = askedBy(line, env);
  const [word = "", value, ...more] = asked.words;
  const request = requestOf(word, value);
  if (request === undefined || more.length > 0)
    throw new UsageError(`say what to do: ${usageLine(commandOf("clock"))}`);
  await tell(asked, request);
  return 0;
}

type ClockRequest = Parameters<Asked["ask"]>[0];

/** undefined: nothing that can be asked. */
function requestOf(word: string, value: string | undefined): ClockRequest | undefined {
  const path = `${CONTROL_PREFIX}/clock`;
  switch (word) {
    case "freeze":
      return {
        method: "PUT",
        path,
        body: { mode: "frozen", ...(value === undefined ? {} : { now: value }) },
      };
    case "advance":
      return value === undefined
        ? undefined
        : { method: "POST", path: `${path}/advance`, body: { duration: value } };
    case "to":
      return value === undefined
        ? undefined
        : { method: "POST", path: `${path}/advance`, body: { to: value } };
  }
  if (value !== undefined) return undefined;
  switch (word) {
    case "":
      return { method: "GET", path };
    case "real":
      return { method: "PUT", path, body: { mode: "real" } };
    case "settle":
      return { method: "POST", path: `${path}/settle` };
  }
  return undefined;
}

async function tell({ ask }: Asked, request: ClockRequest): Promise<void> {
  const { mode, now, timers } = JSON.parse(await ask(request)) as ClockState; // what all of them answer
  process.stdout.write(`${now} ${mode}, ${timers} ${timers === 1 ? "timer" : "timers"} to come\n`);
}
