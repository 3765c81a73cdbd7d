#!/bin/sh
# All that the control surface promises, as a test with curl finds it. EGRET_URL is a server that keeps all of its history;
# EGRET_TWINS are two servers with the same seed and a frozen clock. Prints one line for each thing that holds.
set -u
MAPS=$EGRET_URL/api/v1/namespaces/default/configmaps
JSON='content-type: application/json'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "not ok $current: $*" >&2; exit 1; }
ask() { curl -sS --max-time 10 "$@"; }
status() { ask -o /dev/null -w '%{http_code}' "$@"; }
egret() { # METHOD PATH [BODY [CONTENT-TYPE]]
  ask -X "$1" "$EGRET_URL/egret/v1$2" ${3:+-H "content-type: ${4:-application/json}" -d "$3"}
}
fault() { egret DELETE /faults >/dev/null; egret POST /faults "$1" >"$scratch/fault"; grep -q '"id"' "$scratch/fault" || fail "$(cat "$scratch/fault")"; }
make() { ask -H "$JSON" -d "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"$1\"},\"data\":{\"a\":\"${2:-1}\"}}" "${3:-$MAPS}?pretty=false"; }
now() { ask "$MAPS?limit=1&pretty=false" | sed 's/.*"metadata":{"resourceVersion":"\([0-9]*\)".*/\1/; q'; }
is() { [ "$1" = "$2" ] || fail "$1 is not $2"; }
holds() { printf '%s' "$1" | grep -q -- "$2" || fail "no $2 in: $1"; }
lacks() { ! printf '%s' "$1" | grep -q -- "$2" || fail "there is $2 in: $1"; }
# Watches in the background until the file has as many lines as wanted: start_watch QUERY; … ; seen LINES
start_watch() {
  : >"$scratch/watch"
  curl -sSN --max-time 10 -D "$scratch/head" "$MAPS?watch=true&$1" >"$scratch/watch" 2>/dev/null &
  watching=$!
  while [ ! -s "$scratch/head" ]; do sleep 0.02; done
}
seen() {
  for _ in $(seq 250); do [ "$(wc -l <"$scratch/watch")" -ge "$1" ] && break; sleep 0.02; done
  kill "$watching" 2>/dev/null; wait "$watching" 2>/dev/null; rm -f "$scratch/head"
  cat "$scratch/watch"
}

reset() {
  make gone >/dev/null
  before=$(now)
  start_watch "resourceVersion=$before"
  egret POST /reset '{"to":"start"}' >/dev/null
  holds "$(seen 1)" '"type":"DELETED"'
  is "$(status "$MAPS/gone")" 404
  start_watch "resourceVersion=$(now)"
  make more >/dev/null
  egret POST /reset '{"to":"empty","watches":"expire"}' >/dev/null
  holds "$(seen 1)" '"code":410'
  holds "$(ask "$MAPS?watch=true&resourceVersion=$before")" '"code":410'
}

snapshots() {
  make a >/dev/null
  egret POST /snapshots '{"name":"one"}' >/dev/null
  make b >/dev/null
  egret POST /snapshots/one/restore '{}' >/dev/null
  is "$(status "$MAPS/a")$(status "$MAPS/b")" 200404
  egret POST /branches '{"name":"try"}' >/dev/null
  egret POST /branches/try/checkout '{}' >/dev/null
  make c >/dev/null
  egret POST /branches/main/checkout '{}' >/dev/null
  is "$(status "$MAPS/c")" 404
  egret DELETE /branches/try >/dev/null
  egret POST /reset '{"to":{"snapshot":"one"}}' >/dev/null
  is "$(status "$MAPS/a")" 200
  egret DELETE /snapshots/one >/dev/null
}

transfer() {
  holds "$(egret POST /import 'apiVersion: v1
kind: ConfigMap
metadata: {name: imported}' application/yaml)" created
  text=$(egret GET '/export?kinds=configmaps&namespace=default')
  holds "$text" 'name: imported'
  ask -X DELETE "$MAPS/imported" >/dev/null
  egret POST /import "$text" application/yaml >/dev/null
  is "$(status "$MAPS/imported")" 200
}

request_log() {
  egret DELETE /requests >/dev/null
  ask -A my-controller "$MAPS/nobody" >/dev/null
  logged=$(egret GET '/requests?userAgent=my-*')
  holds "$logged" '"verb":"get"' && holds "$logged" '"status":404'
}

waits() {
  query='"query":{"kind":"v1/ConfigMap","name":"awaited"},"condition":"object != null"'
  late=$(egret POST /wait "{$query,\"timeout\":\"50ms\"}")
  holds "$late" '"code":504' && holds "$late" 'object: there was none'
  egret POST /wait "{$query}" >"$scratch/found" &
  waiting=$!
  make awaited >/dev/null
  wait "$waiting"
  holds "$(cat "$scratch/found")" '"name":"awaited"'
}

status_errors() {
  for code in 409 429 500 503; do
    fault "{\"match\":{\"resource\":\"configmaps\"},\"count\":1,\"error\":{\"code\":$code}}"
    is "$(status -D "$scratch/headers" "$MAPS/a")" $code
    [ $code != 429 ] || holds "$(cat "$scratch/headers")" 'etry-.fter: 1'
    is "$(status "$MAPS/a")" 404
  done
  for when in before after; do
    fault "{\"match\":{\"verb\":\"create\"},\"count\":1,\"error\":{\"code\":504,\"when\":\"$when\"}}"
    holds "$(make "$when")" '"code":504'
  done
  is "$(status "$MAPS/before")$(status "$MAPS/after")" 404200
}

scope_and_seed_of_faults() {
  fault '{"match":{"resource":"configmaps","name":"mine","userAgent":"curl*"},"skip":1,"error":{"code":503}}'
  is "$(status "$MAPS/other")$(status "$MAPS/mine")$(status "$MAPS/mine")" 404404503
  is "$(status -A other "$MAPS/mine")" 404
  drawn() {
    egret PUT /seed '{"seed":"7"}' >/dev/null
    fault '{"match":{"resource":"configmaps"},"probability":0.5,"error":{"code":503}}'
    for _ in 1 2 3 4 5 6 7 8; do status "$MAPS/x"; done
  }
  first=$(drawn)
  is "$(drawn)" "$first"
  holds "$first" 503 && holds "$first" 404
  egret PUT /seed '{"seed":null}' >/dev/null
}

slow_and_broken() {
  fault '{"match":{"resource":"configmaps"},"count":1,"delay":{"milliseconds":300}}'
  ! curl -sS --max-time 0.2 "$MAPS" >/dev/null 2>&1 || fail 'no delay'
  make big "$(printf '%02000d' 0)" >/dev/null
  fault '{"match":{"resource":"configmaps"},"count":1,"slow":{"bytesPerSecond":1000}}'
  ! curl -sS --max-time 0.5 "$MAPS" >/dev/null 2>&1 || fail 'bytes are fast'
  for how in reset close halfClose; do
    fault "{\"match\":{\"resource\":\"configmaps\"},\"count\":1,\"disconnect\":{\"how\":\"$how\"}}"
    ! curl -sS --max-time 2 "$MAPS" >/dev/null 2>&1 || fail "$how broke nothing"
  done
}

watch_faults() {
  before=$(now)
  make seen >/dev/null
  make more >/dev/null
  fault '{"match":{"verb":"watch"},"count":1,"watchEnd":{"how":"expired","afterEvents":1}}'
  events=$(ask -N "$MAPS?watch=true&resourceVersion=$before")
  is "$(printf '%s\n' "$events" | wc -l)" 2
  holds "$events" '"code":410'
  fault '{"match":{"verb":"watch"},"count":1,"watchEnd":{"how":"cut"}}'
  ! curl -sSN --max-time 5 "$MAPS?watch=true&resourceVersion=$before" >"$scratch/cut" 2>/dev/null || fail 'no cut'
  is "$(wc -l <"$scratch/cut")" 0
  fault '{"match":{"verb":"watch"},"count":1,"duplicateEvents":{}}'
  is "$(ask -N "$MAPS?watch=true&timeoutSeconds=1&resourceVersion=$before" | grep -c ADDED)" 4
  fault '{"match":{"verb":"watch"},"count":1,"bookmarks":{"withhold":"all"}}'
  lacks "$(ask -N "$MAPS?watch=true&timeoutSeconds=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")" BOOKMARK
  fault '{"match":{"verb":"list"},"count":1,"staleRead":{"revisions":1}}'
  lacks "$(ask "$MAPS?resourceVersion=0")" '"more"'
}

clock() {
  egret PUT /clock '{"mode":"frozen","now":"2030-01-01T00:00:00Z"}' >/dev/null
  holds "$(make timed)" '"creationTimestamp":"2030-01-01T00:00:00Z"'
  egret POST /clock/advance '{"duration":"90s"}' >/dev/null
  holds "$(make later)" '"creationTimestamp":"2030-01-01T00:01:30Z"'
  egret PUT /clock '{"mode":"real"}' >/dev/null
}

twins() {
  for twin in $EGRET_TWINS; do
    { make one 1 "$twin/api/v1/namespaces/default/configmaps"; ask -i "$twin/api/v1/configmaps"; } >"$scratch/${twin##*:}"
  done
  cmp "$scratch"/[0-9]* || fail 'they differ'
}

history() {
  at=$(make past | sed 's/.*"resourceVersion":"\([0-9]*\)".*/\1/')
  ask -X PATCH -H 'content-type: application/merge-patch+json' -d '{"data":{"a":"2"}}' "$MAPS/past" >/dev/null
  holds "$(ask "$MAPS?resourceVersionMatch=Exact&pretty=false&resourceVersion=$at")" '"data":{"a":"1"}'
  holds "$(egret GET /history/configmaps/past)" '"after":"2","before":"1","path":"data.a"'
  egret POST /compact "{\"revision\":$(now)}" >/dev/null
  is "$(status "$MAPS?resourceVersionMatch=Exact&resourceVersion=$at")" 410
}

description() { holds "$(egret GET /openapi.json)" '/egret/v1/wait'; }

for current in reset snapshots transfer request_log waits status_errors scope_and_seed_of_faults slow_and_broken \
  watch_faults clock twins history description; do
  egret DELETE /faults >/dev/null
  egret POST /reset >/dev/null
  $current
  echo "ok $current"
done
