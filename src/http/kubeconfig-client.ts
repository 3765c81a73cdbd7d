// Reads from the server that a kubeconfig names, for the commands that ask a running server for something.
import { readFile } from "node:fs/promises";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { parse } from "yaml";
import { isObject } from "../meta/json.ts";

/** What kept a request from being answered, in one line for the person who made it. */
export class RequestError extends Error {}

/** The body of the answer to a GET, as it comes. Throws RequestError when the answer is no success. */
export async function getWith(kubeconfigPath: string, path: string): Promise<AsyncIterable<Buffer>> {
  const { server, authority, token } = await readKubeconfig(kubeconfigPath);
  const url = new URL(path, server);
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const options = {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(authority === undefined ? {} : { ca: authority }),
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, options, resolve);
    sent.on("error", (cause) =>
      reject(new RequestError(`${server} does not answer (${cause.message})`, { cause })),
    );
    sent.end();
  });
  if (answer.statusCode === 200) return answer;
  answer.resume();
  throw new RequestError(`${server} has answered GET ${path} with ${answer.statusCode}`);
}

interface Access {
  readonly server: string;
  readonly authority: string | undefined;
  readonly token: string | undefined;
}

/** Of the current context. */
async function readKubeconfig(path: string): Promise<Access> {
  let config: unknown;
  try {
    config = parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new RequestError(`the kubeconfig ${path} cannot be read`, { cause });
  }
  const context = named(config, "contexts", textAt(config, "current-context"), "context");
  const cluster = named(config, "clusters", textAt(context, "cluster"), "cluster");
  const user = named(config, "users", textAt(context, "user"), "user");
  const server = textAt(cluster, "server");
  if (server === undefined) throw new RequestError(`the kubeconfig ${path} names no server`);
  const data = textAt(cluster, "certificate-authority-data");
  const authority = data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8");
  return { server, authority, token: textAt(user, "token") };
}

/** The member of the entry of that name in a list of entries. */
function named(config: unknown, list: string, name: string | undefined, member: string): unknown {
  const entries = isObject(config) ? config[list] : undefined;
  if (!Array.isArray(entries)) return undefined;
  const entry: unknown = entries.find((item) => isObject(item) && item["name"] === name);
  return isObject(entry) ? entry[member] : undefined;
}

function textAt(value: unknown, member: string): string | undefined {
  const text = isObject(value) ? value[member] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}
