// Reads a context of a kubeconfig: server address, CA, and a token or a client certificate.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import type { ServerAccess } from "./server-access.ts";

type Section = Readonly<Record<string, unknown>>;

/** `server` overrides the address in the file. Throws when the file lacks a required value. */
export async function accessFromKubeconfig(
  path: string,
  options: { readonly context?: string; readonly server?: string } = {},
): Promise<ServerAccess> {
  const config = sectionOf(parse(await readFile(path, "utf8")));
  const context = named(config, "contexts", options.context ?? textAt(config, "current-context"), "context");
  const cluster = named(config, "clusters", textAt(context, "cluster"), "cluster");
  const user = named(config, "users", textAt(context, "user"), "user");
  const server = options.server ?? textAt(cluster, "server");
  if (server === undefined) throw new Error(`the kubeconfig ${path} names no server`);
  const folder = dirname(path);
  const [ca, cert, key] = await Promise.all([
    pemOf(cluster, "certificate-authority", folder),
    pemOf(user, "client-certificate", folder),
    pemOf(user, "client-key", folder),
  ]);
  const token = textAt(user, "token") ?? (await fileAt(user, "tokenFile", folder))?.trim();
  return {
    url: server.replace(/\/+$/, ""),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      insecure: cluster["insecure-skip-tls-verify"] === true,
    },
  };
}

/** Inline as base64, or in a file that the kubeconfig names. */
async function pemOf(section: Section, name: string, folder: string): Promise<string | undefined> {
  const data = textAt(section, `${name}-data`);
  return data === undefined ? fileAt(section, name, folder) : Buffer.from(data, "base64").toString("utf8");
}

async function fileAt(section: Section, name: string, folder: string): Promise<string | undefined> {
  const path = textAt(section, name);
  return path === undefined ? undefined : await readFile(resolve(folder, path), "utf8");
}

/** Returns the member of the entry with that name in a list of entries. */
function named(config: Section, list: string, name: string | undefined, member: string): Section {
  const entries = config[list];
  if (!Array.isArray(entries)) return {};
  return sectionOf(sectionOf(entries.find((entry) => sectionOf(entry)["name"] === name))[member]);
}

const sectionOf = (value: unknown): Section =>
  typeof value === "object" && value !== null ? (value as Section) : {};

function textAt(section: Section, member: string): string | undefined {
  const text = section[member];
  return typeof text === "string" && text !== "" ? text : undefined;
}
