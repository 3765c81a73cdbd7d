// Checks of the options that methods of EgretServer accept.

import { isObject } from "../apimachinery/json/json.ts";
import { PLATFORMS } from "../controller/emulated-release.ts";
import { CHANGES, type PlannedChange } from "../features/analysis/planned-change.ts";
import type { GivenFacts } from "../features/analysis/store-snapshot.ts";
import type { PlanOptions } from "../features/analysis/verdicts.ts";
import { RESET_TARGETS, type RestoreOptions, WATCHES } from "../features/state/state-keeper.ts";
import { PROTOCOLS } from "../ovn/trace/packet-path.ts";
import type { ImportOptions, ResetOptions, TracedPacket } from "./call-options.ts";
import {
  anyValue,
  type Checks,
  checkOptions,
  EgretOptionsError,
  isFlag,
  isNumber,
  isOneOf,
  isPlainObject,
  isText,
} from "./check-options.ts";

export const IMPORT_OPTIONS: Checks<ImportOptions> = { secrets: isFlag, webhooks: isFlag };
export const RESTORE_OPTIONS: Checks<RestoreOptions> = { watches: isOneOf(WATCHES) };
export const RESET_OPTIONS: Checks<ResetOptions> = { ...RESTORE_OPTIONS, to: isOneOf(RESET_TARGETS) };
export const PLAN_OPTIONS: Checks<PlanOptions> = { at: isNumber, platform: isOneOf(PLATFORMS) };

const PACKET: Checks<TracedPacket> = {
  namespace: isText,
  pod: isText,
  to: isText,
  protocol: isOneOf(PROTOCOLS),
  packet: isText,
  facts: isPlainObject,
};
const GIVEN_FACTS: Checks<GivenFacts> = {
  gatewayMode: isText,
  disableSnatMultipleGateways: isFlag,
  transport: isText,
  outboundSnat: isFlag,
  advertisedIsolation: isText,
  dnsNameResolver: isFlag,
  names: anyValue,
  tables: anyValue,
};

/** Throws EgretOptionsError. */
export function checkPacket(packet: TracedPacket): void {
  checkOptions("trace", packet, PACKET);
  checkOptions("trace: facts", packet.facts ?? {}, GIVEN_FACTS);
}

/** A change must have the members of one form. Throws EgretOptionsError. */
export function checkChanges(changes: readonly PlannedChange[]): void {
  if (!Array.isArray(changes)) throw new EgretOptionsError("plan: the changes have to be a list");
  for (const change of changes) checkChange(change);
}

function checkChange(change: unknown): void {
  const forms = Object.entries(CHANGES);
  const found = isObject(change) && forms.find(([name]) => Object.hasOwn(change, name));
  if (!found) {
    const names = forms.map(([name]) => name).join(", ");
    throw new EgretOptionsError(`plan: ${JSON.stringify(change)} has none of ${names}`);
  }
  const [name, form] = found;
  const members = Object.keys(Object(form["properties"]));
  checkOptions(`plan: ${name}`, Object(change), Object.fromEntries(members.map((one) => [one, anyValue])));
}
