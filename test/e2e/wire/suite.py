"""All that the control surface promises, as a test in Python finds it: with nothing but the standard library.

EGRET_URL is a server that keeps all of its history; EGRET_TWINS are two servers with the same seed and a frozen clock.
Prints one line for each thing that holds, and fails at the first one that does not.
"""

import http.client
import json
import os
import socket
import time
from urllib.parse import urlsplit

MAPS = "/api/v1/namespaces/default/configmaps"
TIMEOUT_S = 10


class Server:
    def __init__(self, url):
        self.address = urlsplit(url).netloc

    def connect(self):
        return http.client.HTTPConnection(self.address, timeout=TIMEOUT_S)

    def ask(self, method, path, body=None, kind="application/json"):
        """The status, the headers and the body: decoded where it is JSON."""
        connection = self.connect()
        try:
            text = body if body is None or isinstance(body, str) else json.dumps(body)
            headers = {"user-agent": "python-suite"}
            if text is not None:
                headers["content-type"] = kind
            connection.request(method, path, text, headers)
            answer = connection.getresponse()
            content = answer.read().decode()
            is_json = "json" in (answer.getheader("content-type") or "") and content
            return answer.status, answer.headers, json.loads(content) if is_json else content
        finally:
            connection.close()

    def egret(self, method, path, body=None, kind="application/json", status=None):
        code, _, content = self.ask(method, "/egret/v1" + path, body, kind)
        assert code == status if status else code < 300, (method, path, code, content)
        return content

    def make(self, name, data=None):
        metadata = {"name": name}
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data or {}}
        code, _, made = self.ask("POST", MAPS, body)
        assert code == 201, made
        return made

    def names(self):
        return [item["metadata"]["name"] for item in self.ask("GET", MAPS)[2]["items"]]

    def watch(self, query):
        connection = self.connect()
        connection.request("GET", MAPS + "?watch=true&" + query)
        return Watch(connection)


class Watch:
    def __init__(self, connection):
        self.connection = connection
        self.answer = connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def event(self):
        """The next one, or None at the end."""
        line = self.answer.readline()
        return json.loads(line) if line else None


server = Server(os.environ["EGRET_URL"])


def same(found, wanted):
    assert found == wanted, f"{found} is not {wanted}"


def now():
    return server.ask("GET", MAPS)[2]["metadata"]["resourceVersion"]


def fault(**parts):
    server.egret("DELETE", "/faults")
    return server.egret("POST", "/faults", {"match": {"resource": "configmaps"}, **parts})["id"]


def reset_tells_watches():
    server.make("gone")
    with server.watch("resourceVersion=" + now()) as watch:
        server.egret("POST", "/reset", {"to": "start"})
        event = watch.event()
        assert event["type"] == "DELETED" and event["object"]["metadata"]["name"] == "gone", event
    same(server.names(), [])
    server.egret("POST", "/reset", {"to": "empty"})


def reset_expires_watches():
    server.make("gone")
    before = now()
    with server.watch("resourceVersion=" + before) as watch:
        server.egret("POST", "/reset", {"watches": "expire"})
        event = watch.event()
        assert event["type"] == "ERROR" and event["object"]["code"] == 410, event
    with server.watch("resourceVersion=" + before) as watch:
        assert watch.event()["object"]["code"] == 410


def snapshots_and_branches():
    server.make("a")
    server.egret("POST", "/snapshots", {"name": "one"})
    server.make("b")
    same([item["name"] for item in server.egret("GET", "/snapshots")["items"]], ["one"])
    server.egret("POST", "/snapshots/one/restore", {})
    same(server.names(), ["a"])
    server.egret("POST", "/branches", {"name": "try"})
    server.egret("POST", "/branches/try/checkout", {})
    server.make("c")
    server.egret("POST", "/branches/main/checkout", {})
    same(server.names(), ["a"])
    server.egret("POST", "/branches/try/checkout", {})
    same(server.names(), ["a", "c"])
    server.egret("POST", "/branches/main/checkout", {})
    server.egret("DELETE", "/branches/try")
    server.egret("POST", "/reset", {"to": {"snapshot": "one"}})
    server.egret("DELETE", "/snapshots/one")


def import_and_export():
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: imported}\ndata: {a: '1'}\n"
    answer = server.egret("POST", "/import", text, "application/yaml")
    assert answer["items"][0]["result"] == "created", answer
    exported = server.egret("GET", "/export?kinds=configmaps&namespace=default")
    assert "name: imported" in exported, exported
    server.ask("DELETE", MAPS + "/imported")
    server.egret("POST", "/import", exported, "application/yaml")
    same(server.names(), ["imported"])


def request_log():
    server.egret("DELETE", "/requests")
    server.make("asked")
    [entry] = server.egret("GET", "/requests?verb=create&resource=configmaps")["items"]
    assert entry["status"] == 201 and entry["userAgent"] == "python-suite" and entry["path"] == MAPS, entry


def wait_for_a_condition():
    query = {"kind": "v1/ConfigMap", "name": "awaited"}
    late = {"query": query, "condition": "object != null", "timeout": "50ms"}
    failed = server.egret("POST", "/wait", late, status=504)
    assert failed["reason"] == "Timeout" and failed["timeline"]["start"] == ["object: there was none"], failed
    server.make("awaited", {"a": "1"})
    found = server.egret("POST", "/wait", {"query": query, "condition": "object.data.a == '1'"})
    assert found["values"]["object"]["metadata"]["name"] == "awaited", found


def status_errors():
    for code, reason in [(409, "Conflict"), (429, "TooManyRequests"), (500, "InternalError"), (503, "ServiceUnavailable")]:
        retry = {"retryAfterSeconds": 3} if code == 429 else {}
        fault(count=1, error={"code": code, **retry})
        status, headers, body = server.ask("GET", MAPS + "/x")
        assert (status, body["reason"]) == (code, reason), body
        assert code != 429 or headers["Retry-After"] == "3", headers
        assert server.ask("GET", MAPS)[0] == 200  # it struck once
    for when, there in [("before", False), ("after", True)]:
        fault(count=1, match={"verb": "create", "resource": "configmaps"}, error={"code": 504, "when": when})
        name = "written-" + when
        status, _, _ = server.ask("POST", MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
        assert status == 504 and (name in server.names()) == there


def scope_of_faults():
    match = {"verb": "get", "resource": "configmaps", "name": "mine", "userAgent": "python-*"}
    id = fault(match=match, skip=1, error={"code": 503})
    assert server.ask("GET", MAPS + "/other")[0] == 404
    assert [server.ask("GET", MAPS + "/mine")[0] for _ in range(3)] == [404, 503, 503]
    assert server.egret("GET", "/faults/" + id)["fired"] == 2


def latency_and_slow_bytes():
    for parts in [{"delay": {"milliseconds": 200}}, {"slow": {"bytesPerSecond": 4000}}]:
        server.make("big" + str(len(parts)) + str(time.time_ns()), {"text": "x" * 1000})
        fault(count=1, **parts)
        started = time.monotonic()
        assert server.ask("GET", MAPS)[0] == 200
        assert time.monotonic() - started > 0.19, parts


def broken_connections():
    for how in ["reset", "close", "halfClose"]:
        fault(count=1, disconnect={"how": how})
        try:
            server.ask("GET", MAPS)
        except (http.client.HTTPException, OSError):
            continue
        raise AssertionError(how + " broke nothing")
    fault(count=1, disconnect={"how": "hang"})
    connection = http.client.HTTPConnection(server.address, timeout=0.3)
    connection.request("GET", MAPS)
    try:
        connection.getresponse()
        raise AssertionError("it did not hang")
    except socket.timeout:
        connection.close()


def broken_watches():
    before = now()
    fault(count=1, watchEnd={"how": "expired", "afterEvents": 1})
    with server.watch("resourceVersion=" + before) as watch:
        server.make("seen")
        assert watch.event()["type"] == "ADDED"
        assert watch.event()["object"]["code"] == 410
    fault(count=1, watchEnd={"how": "cut"})
    with server.watch("resourceVersion=" + before) as watch:
        try:
            watch.event()
            raise AssertionError("the event came whole")
        except (http.client.HTTPException, OSError, json.JSONDecodeError):
            pass


def strange_events():
    before = now()
    server.make("twice")
    fault(count=1, duplicateEvents={})
    with server.watch("resourceVersion=" + before) as watch:
        assert watch.event() == watch.event()
    fault(count=1, lateEvents={"milliseconds": 200})
    started = time.monotonic()
    with server.watch("resourceVersion=" + before) as watch:
        assert watch.event()["type"] == "ADDED" and time.monotonic() - started > 0.19
    bookmarked = "allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1"
    fault(count=1, bookmarks={"withhold": "all"})
    with server.watch(bookmarked) as watch:
        types = set()
        while (event := watch.event()) is not None:
            types.add(event["type"])
        assert types == {"ADDED"}, types


def stale_reads():
    server.make("fresh")
    fault(count=1, staleRead={"revisions": 1})
    stale = server.ask("GET", MAPS + "?resourceVersion=0")[2]["items"]
    assert "fresh" not in [item["metadata"]["name"] for item in stale]
    assert "fresh" in server.names()


def clock():
    frozen = server.egret("PUT", "/clock", {"mode": "frozen", "now": "2030-01-01T00:00:00Z"})
    assert frozen["mode"] == "frozen"
    assert server.make("timed")["metadata"]["creationTimestamp"] == "2030-01-01T00:00:00Z"
    with server.watch("timeoutSeconds=60&resourceVersion=" + now()) as watch:
        server.egret("POST", "/clock/advance", {"duration": "61s"})
        assert watch.event() is None  # its time is over
    assert server.make("later")["metadata"]["creationTimestamp"] == "2030-01-01T00:01:01Z"
    server.egret("PUT", "/clock", {"mode": "real"})


def twins_repeat_each_other():
    def tell(url):
        twin, told = Server(url), []
        for name in ["a", "b"]:
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": name + "-"}}
            status, headers, made = twin.ask("POST", MAPS, body)
            told.append((status, sorted(headers.items()), made))
        return [*told, twin.ask("GET", MAPS)[2], twin.egret("GET", "/seed")]

    first, second = [tell(url) for url in os.environ["EGRET_TWINS"].split()]
    assert first == second, (first, second)


def history():
    made = server.make("past", {"a": "1"})
    server.ask("PATCH", MAPS + "/past", {"data": {"a": "2"}}, "application/merge-patch+json")
    at = made["metadata"]["resourceVersion"]
    exact = MAPS + "?resourceVersionMatch=Exact&resourceVersion=" + at
    [past] = [item for item in server.ask("GET", exact)[2]["items"] if item["metadata"]["name"] == "past"]
    assert past["data"] == {"a": "1"}
    assert server.egret("GET", "/objects/configmaps/past?resourceVersion=" + at)["data"] == {"a": "1"}
    added, changed = server.egret("GET", "/history/configmaps/past")["revisions"]
    assert (added["type"], changed["type"]) == ("ADDED", "MODIFIED")
    assert changed["changes"] == [{"path": "data.a", "before": "1", "after": "2"}], changed
    server.egret("POST", "/compact", {"revision": int(now())})
    assert server.ask("GET", exact)[0] == 410


def own_description():
    document = server.egret("GET", "/openapi.json")
    assert document["openapi"].startswith("3.") and "/egret/v1/wait" in document["paths"]


for test in [
    reset_tells_watches,
    reset_expires_watches,
    snapshots_and_branches,
    import_and_export,
    request_log,
    wait_for_a_condition,
    status_errors,
    scope_of_faults,
    latency_and_slow_bytes,
    broken_connections,
    broken_watches,
    strange_events,
    stale_reads,
    clock,
    twins_repeat_each_other,
    history,
    own_description,
]:
    server.egret("DELETE", "/faults")
    server.egret("POST", "/reset")
    try:
        test()
    except Exception as error:
        raise SystemExit(f"not ok {test.__name__}: {type(error).__name__} {error}") from error
    print("ok", test.__name__, flush=True)
