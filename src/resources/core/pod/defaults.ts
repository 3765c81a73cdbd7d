// Defaults of a pod's spec and its containers. What holds for pod templates too stands in applyPodSpecDefaults;
// what only a Pod itself gets is added by applyPodDefaults.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../../meta/json.ts";
import { ensureObject, isTrue, setDefault } from "../../fields.ts";
import { pullPolicyFor } from "./container/pull-policy.ts";
import { applyVolumeDefaults } from "./volume-defaults.ts";

const GRACE_PERIOD_SECONDS = 30;
const HANDLERS = ["postStart", "preStop"];
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];

export function applyPodDefaults(pod: JsonObject): void {
  const spec = ensureObject(pod, "spec");
  applyPodSpecDefaults(spec);
  const containers = [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")];
  for (const container of containers) {
    requestLimits(container);
    if (isTrue(spec, "hostNetwork")) openOnHost(container);
  }
  setDefault(spec, "enableServiceLinks", true);
  const status = objectAt(pod, "status");
  if (status !== undefined) agreeOnPodIp(status);
}

/** Also for the pods in templates. */
export function applyPodSpecDefaults(spec: JsonObject): void {
  setDefault(spec, "dnsPolicy", "ClusterFirst");
  setDefault(spec, "restartPolicy", "Always");
  setDefault(spec, "securityContext", {});
  setDefault(spec, "terminationGracePeriodSeconds", GRACE_PERIOD_SECONDS);
  setDefault(spec, "schedulerName", "default-scheduler");
  const account = textAt(spec, "serviceAccountName") || textAt(spec, "serviceAccount");
  if (account !== "") Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  for (const list of ["containers", "initContainers", "ephemeralContainers"]) {
    for (const container of objectsAt(spec, list)) applyContainerDefaults(container);
  }
  for (const volume of objectsAt(spec, "volumes")) applyVolumeDefaults(volume);
}

function applyContainerDefaults(container: JsonObject): void {
  setDefault(container, "imagePullPolicy", pullPolicyFor(textAt(container, "image")));
  setDefault(container, "terminationMessagePath", "/dev/termination-log");
  setDefault(container, "terminationMessagePolicy", "File");
  for (const variable of objectsAt(container, "env")) {
    const fieldRef = objectAt(objectAt(variable, "valueFrom"), "fieldRef");
    if (fieldRef !== undefined) setDefault(fieldRef, "apiVersion", "v1");
  }
  for (const key of PROBES) {
    const probe = objectAt(container, key);
    if (probe !== undefined) applyProbeDefaults(probe);
  }
  for (const key of HANDLERS) {
    const handler = objectAt(objectAt(container, "lifecycle"), key);
    if (handler !== undefined) applyHttpDefaults(handler);
  }
}

function applyProbeDefaults(probe: JsonObject): void {
  const defaults = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
  for (const [key, value] of Object.entries(defaults)) {
    if (!numberAt(probe, key)) probe[key] = value;
  }
  applyHttpDefaults(probe);
}

function applyHttpDefaults(handler: JsonObject): void {
  const httpGet = objectAt(handler, "httpGet");
  if (httpGet === undefined) return;
  setDefault(httpGet, "path", "/");
  setDefault(httpGet, "scheme", "HTTP");
}

/** What may be used at most is asked for, unless something else is. */
function requestLimits(container: JsonObject): void {
  const resources = objectAt(container, "resources");
  const limits = objectAt(resources, "limits");
  if (resources === undefined || limits === undefined) return;
  resources["requests"] = { ...limits, ...objectAt(resources, "requests") };
}

function openOnHost(container: JsonObject): void {
  for (const port of objectsAt(container, "ports")) {
    if (!numberAt(port, "hostPort")) port["hostPort"] = port["containerPort"];
  }
}

/** podIP is the first of podIPs; where they differ the single one wins. */
function agreeOnPodIp(status: JsonObject): void {
  const single = textAt(status, "podIP");
  const [first] = objectsAt(status, "podIPs").map((item) => textAt(item, "ip"));
  if (single !== "" && single !== first) status["podIPs"] = [{ ip: single }];
  else if (single === "" && first) status["podIP"] = first;
}

/** A negative grace period is read as the shortest one. */
export function raiseGracePeriod(spec: JsonObject): void {
  const seconds = numberAt(spec, "terminationGracePeriodSeconds");
  if (seconds !== undefined && seconds < 0) spec["terminationGracePeriodSeconds"] = 1;
}
