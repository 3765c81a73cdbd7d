// Name resolver for gRPC: all configured members of an etcd, by name or by address. The library's own resolvers accept
// either one name or several addresses.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import * as grpc from "@grpc/grpc-js";

type Endpoint = grpc.experimental.Endpoint;

const SCHEME = "etcd-members";

/** The gRPC target for these members, given as host:port. */
export const targetOf = (endpoints: readonly string[]): string => `${SCHEME}:${endpoints.join(",")}`;

/**
 * Each member presents a certificate of its own. The library would check the first configured name, whichever member it
 * has reached; the certificate may be valid for any of them. It would also send that name by TLS SNI, which does not
 * allow an IP address.
 */
export function identityOf(endpoints: readonly string[]): {
  readonly verify: grpc.VerifyOptions;
  readonly channel: grpc.ChannelOptions;
} {
  const hosts = endpoints.map((endpoint) => hostPortOf(endpoint).host);
  const check = (_: string, certificate: PeerCertificate): Error | undefined => {
    const mistakes = hosts.map((host) => checkServerIdentity(host, certificate));
    return mistakes.includes(undefined) ? undefined : mistakes[0];
  };
  const name = hosts.find((host) => isIP(host) === 0) ?? "etcd";
  return { verify: { checkServerIdentity: check }, channel: { "grpc.ssl_target_name_override": name } };
}

function hostPortOf(endpoint: string): { readonly host: string; readonly port: number } {
  const { host, port = 0 } = grpc.experimental.splitHostPort(endpoint) ?? { host: endpoint };
  return { host, port };
}

class MembersResolver implements grpc.experimental.Resolver {
  readonly #members: readonly string[];
  readonly #listener: grpc.experimental.ResolverListener;
  /**
   * The endpoints that were last passed to the library. They are passed only when they change, since each call makes it
   * reconnect.
   */
  #told = "";
  #isLooking = false;
  /** Increases with destroy(); results of an earlier round are dropped. */
  #round = 0;

  constructor(target: grpc.experimental.GrpcUri, listener: grpc.experimental.ResolverListener) {
    this.#members = target.path.split(",");
    this.#listener = listener;
  }

  static getDefaultAuthority(target: grpc.experimental.GrpcUri): string {
    return target.path.split(",", 1)[0] ?? "";
  }

  updateResolution(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const round = this.#round;
    void Promise.allSettled(this.#members.map(addressesOf)).then((found) => {
      this.#isLooking = false;
      if (round === this.#round) this.#tell(found);
    });
  }

  destroy(): void {
    this.#round++;
    this.#isLooking = false;
    this.#told = "";
  }

  /** Members whose names do not resolve are left out. They are resolved again when a connection is lost. */
  #tell(found: readonly PromiseSettledResult<Endpoint>[]): void {
    const endpoints = found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const told = JSON.stringify(endpoints);
    if (endpoints.length > 0 && told === this.#told) return;
    this.#told = told;
    const why = found.find((one) => one.status === "rejected")?.reason;
    const result: grpc.experimental.StatusOr<Endpoint[]> =
      endpoints.length > 0
        ? grpc.experimental.statusOrFromValue<Endpoint[]>(endpoints)
        : grpc.experimental.statusOrFromError<Endpoint[]>({
            code: grpc.status.UNAVAILABLE,
            details: String(why?.message),
          });
    this.#listener(result, {}, null, "");
  }
}

async function addressesOf(member: string): Promise<Endpoint> {
  const { host, port } = hostPortOf(member);
  const addresses = await lookup(host, { all: true });
  return { addresses: addresses.map(({ address }) => ({ host: address, port })) };
}

grpc.experimental.registerResolver(SCHEME, MembersResolver);
