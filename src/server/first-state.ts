// What an empty store is filled with: all that a first start would create one by one, made once by the build. At a start
// it is laid down as it is, with new uids and the time of now. Whoever asks for what is not in it (other networks of
// Services, roles) gets that created as ever.
import { readFile } from "node:fs/promises";
import type { Profile } from "../controllers/kit/settings.ts";
import { type Clock, formatTime } from "../meta/clock.ts";
import type { Ids } from "../meta/ids.ts";
import { builtFile } from "../meta/package-files.ts";
import type { KeyValue, Store } from "../storage/store.ts";
import { DEFAULT_OPTIONS, type ServerOptions } from "./options/options.ts";

/** A key and its value; the bytes of the value as the characters of a text. */
export type PackedKey = readonly [key: string, value: string];

/** The time at which the build's server stands, and no object's real time: it marks where a time belongs. */
export const PACKING_TIME_MS = Date.parse("1970-02-03T04:05:06Z");

/** Of a store that nobody has written to. */
const EMPTY_REVISION = 1;

const PACKING_TIME = formatTime(PACKING_TIME_MS);
const UID = /"uid":"([0-9a-f-]{36})"/;

/** Made by scripts/pack-first-state.ts. */
export const packedFirstState = (profile: Profile): string => `first-state-${profile}.json`;

/** What the build writes of the store of a server that has just started at PACKING_TIME_MS. */
export function packState(items: readonly KeyValue[]): readonly PackedKey[] {
  return items.map(({ key, value }) => [key, Buffer.from(value).toString("latin1")]);
}

/** What the build has made for a profile; undefined where nothing was built. */
async function readFirstState(profile: Profile): Promise<readonly PackedKey[] | undefined> {
  const file = builtFile(packedFirstState(profile));
  return file === undefined ? undefined : JSON.parse(await readFile(file, "latin1"));
}

/** Whether the store was empty and has been filled with what the build has made. */
export async function seedNewStore(
  store: Store,
  options: ServerOptions,
  around: { readonly clock: Clock; readonly ids: Ids },
): Promise<boolean> {
  if (store.revision > EMPTY_REVISION) return false;
  const packed = await readFirstState(options.profile);
  return packed !== undefined && seedStore(store, { packed, options }, around);
}

export interface FirstState {
  readonly packed: readonly PackedKey[];
  readonly options: ServerOptions;
}

/** Whether the store has been filled: not if it holds something, and not if the options ask for something else. */
export async function seedStore(
  store: Store,
  { packed, options }: FirstState,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): Promise<boolean> {
  const isUsual = options.serviceClusterIpRange === DEFAULT_OPTIONS.serviceClusterIpRange;
  if (!isUsual || store.revision > EMPTY_REVISION) return false;
  const now = formatTime(clock.now());
  // Each has a revision of its own, and all of them wait for the disk together.
  await Promise.all(
    packed.map(([key, text]) => {
      const value = text.replaceAll(PACKING_TIME, now).replace(UID, () => `"uid":"${ids.uid()}"`);
      return store.commit([{ type: "create", key, value: Buffer.from(value, "latin1") }]);
    }),
  );
  return true;
}
