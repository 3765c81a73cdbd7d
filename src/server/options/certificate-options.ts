// Options of a kube-apiserver about client and serving certificates, and the supported authorization modes.
import { optionalText, words } from "./option.ts";

export const AUTHORIZATION_MODES = ["AlwaysAllow", "AlwaysDeny", "Node", "RBAC"] as const;

export const CERTIFICATE_OPTIONS = {
  clientCaFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "users: CA bundle of client certificates, in the place of Egret's own CA; the common name is the user, organizations are groups; switches `--secure` on",
  }),
  tlsCertFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "certificate that the server presents, with its chain behind it; needs `--tls-private-key-file`; switches `--secure` on",
  }),
  tlsPrivateKeyFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "key of `--tls-cert-file`",
  }),
  certDir: optionalText({
    value: "DIR",
    offers: "folder",
    text: "folder of the presented certificate without `--tls-cert-file`: `apiserver.crt` and `apiserver.key`, which are made where they are missing; switches `--secure` on",
  }),
  requestheaderClientCaFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "CA bundle of front proxies, which name users by the headers below; switches `--secure` on",
  }),
  requestheaderAllowedNames: words({
    value: "LIST",
    text: "common names of the certificates of front proxies; none: all of their CA",
  }),
  requestheaderUsernameHeaders: words({
    value: "LIST",
    text: "headers of a front proxy with the name of the user, such as `X-Remote-User`",
  }),
  requestheaderUidHeaders: words({
    value: "LIST",
    text: "headers of a front proxy with the uid of the user, such as `X-Remote-Uid`",
  }),
  requestheaderGroupHeaders: words({
    value: "LIST",
    text: "headers of a front proxy with a group of the user, such as `X-Remote-Group`",
  }),
  requestheaderExtraHeadersPrefix: words({
    value: "LIST",
    text: "what headers of a front proxy with extra values of the user begin with, such as `X-Remote-Extra-`",
  }),
};

export const CERTIFICATE_NAMES = [
  ...(["clientCaFile", "tlsCertFile", "tlsPrivateKeyFile", "certDir"] as const),
  "requestheaderClientCaFile",
] as const;
