// Exec credential plugins of a kubeconfig (client.authentication.k8s.io). The plugin reads its ExecCredential
// request from an environment variable and prints a token or a certificate. It shares the standard error of this
// process, and its input if interactive.
import { spawn } from "node:child_process";
import process from "node:process";
import { text as readAll } from "node:stream/consumers";
import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parsedObject,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import { besideFile, type Entry, RequestError, secretOf } from "./files.ts";

export interface ExecCredential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly expiresAtMs?: number;
}

const GROUP = "client.authentication.k8s.io";
const VERSIONS = [`${GROUP}/v1`, `${GROUP}/v1beta1`];
/** The environment variable with the ExecCredential request. */
const ORDER_VARIABLE = "KUBERNETES_EXEC_INFO";
/** The extension of a cluster entry with the plugin's configuration. */
const SETTINGS = `${GROUP}/exec`;

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the plugin may prompt the user at the terminal. */
  readonly interactive: boolean;
  readonly hint: string;
}

/** Throws RequestError. */
export async function execCredential(cluster: Entry, user: Entry): Promise<ExecCredential> {
  const exec = objectAt(user.value, "exec") ?? {};
  const apiVersion = textAt(exec, "apiVersion");
  if (!VERSIONS.includes(apiVersion))
    throw new RequestError(
      `the user ${user.name} of ${user.path} has exec of ${apiVersion || "no version"}, and not of ${VERSIONS.join(" or ")}`,
    );
  const command = textAt(exec, "command");
  if (command === "")
    throw new RequestError(`the user ${user.name} of ${user.path} has exec without a command`);
  const interactive = mayAsk(user, exec, apiVersion);
  const told = exec["provideClusterInfo"] === true ? { cluster: await toldOf(cluster) } : {};
  const order = { apiVersion, kind: "ExecCredential", spec: { interactive, ...told } };
  const own = objectsAt(exec, "env").map((entry) => [textAt(entry, "name"), textAt(entry, "value")]);
  const isPath = /[/\\]/.test(command);
  const answer = await run({
    command: isPath ? besideFile(user, command) : command,
    args: textsAt(exec, "args"),
    env: { ...process.env, ...Object.fromEntries(own), [ORDER_VARIABLE]: JSON.stringify(order) },
    interactive,
    hint: textAt(exec, "installHint"),
  });
  return readAnswer(command, answer, apiVersion);
}

/** Throws RequestError where the plugin requires a terminal, and there is none. */
function mayAsk({ name }: Entry, exec: JsonObject, apiVersion: string): boolean {
  const said = textAt(exec, "interactiveMode");
  const mode = said === "" && apiVersion !== VERSIONS[0] ? "IfAvailable" : said;
  if (!["Never", "IfAvailable", "Always"].includes(mode))
    throw new RequestError(
      `exec of the user ${name} needs interactiveMode: one of Never, IfAvailable, Always${mode && `, not ${mode}`}`,
    );
  const isThere = process.stdin.isTTY === true;
  if (mode === "Always" && !isThere)
    throw new RequestError(`exec of the user ${name} asks a person, and the standard input is no terminal`);
  return mode !== "Never" && isThere;
}

/** The cluster as spec.cluster of the ExecCredential. */
async function toldOf(cluster: Entry): Promise<JsonObject> {
  const { value } = cluster;
  const authority = await secretOf(cluster, "certificate-authority-data", "certificate-authority");
  const members = ["server", "tls-server-name", "insecure-skip-tls-verify", "disable-compression"];
  const settings = objectsAt(value, "extensions").find((entry) => entry["name"] === SETTINGS);
  return {
    ...Object.fromEntries(members.flatMap((key) => (value[key] === undefined ? [] : [[key, value[key]]]))),
    ...(authority === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(authority).toString("base64") }),
    ...(settings === undefined ? {} : { config: settings["extension"] ?? null }),
  };
}

/** Runs the plugin. Returns its standard output. Throws RequestError. */
async function run({ command, args, env, interactive, hint }: Program): Promise<string> {
  const child = spawn(command, args, {
    stdio: [interactive ? "inherit" : "ignore", "pipe", "inherit"],
    env,
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal ?? 0));
  });
  try {
    const [code, answer] = await Promise.all([ended, readAll(child.stdout)]);
    if (code === 0) return answer;
    throw new RequestError(`${command}, which brings the credentials, has failed with ${code}`);
  } catch (cause) {
    if (cause instanceof RequestError) throw cause;
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const why = isMissing ? "is not there" : "cannot be run";
    throw new RequestError(
      `${command}, which brings the credentials, ${why}${hint && `\n\n${hint.trim()}`}`,
      {
        cause,
      },
    );
  }
}

/** Throws RequestError. */
function readAnswer(command: string, answer: string, apiVersion: string): ExecCredential {
  const refuse = (why: string) => new RequestError(`${command}, which brings the credentials, ${why}`);
  const value = parsedObject(answer);
  if (value?.["kind"] !== "ExecCredential") throw refuse("has printed no ExecCredential");
  if (value["apiVersion"] !== apiVersion)
    throw refuse(`has answered in ${String(value["apiVersion"])}, and was asked in ${apiVersion}`);
  const { status } = value;
  if (!isObject(status)) throw refuse("has answered without a status");
  const [token, cert, key, expires] = [
    "token",
    "clientCertificateData",
    "clientKeyData",
    "expirationTimestamp",
  ].map((member) => textAt(status, member));
  if (!token && !cert && !key) throw refuse("has brought neither a token nor a certificate");
  if (!cert !== !key) throw refuse("has brought a certificate and no key, or a key and no certificate");
  const expiresAtMs = expires ? Date.parse(expires) : Number.NaN;
  return {
    ...(token ? { token } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAtMs }),
  };
}
