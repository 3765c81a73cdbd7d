// Expression values in cel-go's native form: bytes, times and durations are not strings there, so a schema that
// requires a string rejects them.
import { itemsOf, jsonOfValue } from "../../../apimachinery/cel/values/collections.ts";
import { Duration, isList, isMap, Timestamp, type Value } from "../../../apimachinery/cel/values/value.ts";
import { formatSeconds } from "../../../apimachinery/go/duration.ts";
import { GoNative } from "../../../apimachinery/go/format.ts";
import { setOwn } from "../../../apimachinery/json/json.ts";

export function nativeOfValue(value: Value): unknown {
  if (value instanceof Uint8Array) return nativeBytes(value);
  if (value instanceof Duration) return nativeDuration(value);
  if (value instanceof Timestamp) return nativeTime(value);
  if (isList(value)) return itemsOf(value).map(nativeOfValue);
  if (!isMap(value)) return jsonOfValue(value);
  const object = {};
  for (const key of value.keys()) {
    const member = value.find(key);
    if (member !== undefined) setOwn(object, String(key), nativeOfValue(member));
  }
  return object;
}

function nativeBytes(bytes: Uint8Array): GoNative {
  const numbers = [...bytes];
  const hex = numbers.map((byte) => `0x${byte.toString(16)}`).join(", ");
  return new GoNative({ type: "[]uint8", plain: `[${numbers.join(" ")}]`, syntax: `[]uint8{${hex}}` });
}

const nativeDuration = ({ nanos }: Duration): GoNative =>
  new GoNative({ type: "time.Duration", plain: formatSeconds(nanos), syntax: String(nanos) });

const NANOS_PER_MS = 1_000_000n;
const NANOS_PER_SECOND = 1_000_000_000n;

const DATE_FUNCTION = "time.Date";

function nativeTime({ nanos }: Timestamp): GoNative {
  const date = new Date(Number(nanos / NANOS_PER_MS));
  const below = ((nanos % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  const [day = "", time = ""] = date.toISOString().split(/[T.]/);
  const fraction = below === 0n ? "" : `.${String(below).padStart(9, "0").replace(/0+$/, "")}`;
  const month = date.toLocaleString("en-US", { month: "long", timeZone: "UTC" });
  const parts = [
    ...[date.getUTCFullYear(), `time.${month}`, date.getUTCDate()],
    ...[date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), below, "time.UTC"],
  ];
  return new GoNative({
    type: "time.Time",
    plain: `${day} ${time}${fraction} +0000 UTC`,
    syntax: `${DATE_FUNCTION}(${parts.join(", ")})`,
  });
}
