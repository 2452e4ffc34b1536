#!/bin/sh
#     sh kubernetes.sh MANIFEST NAMESPACE [FLAG OF load --collect]...
# Creates what `load --manifests` wrote, waits until the pods have ended, saves their logs in a folder beside the manifest,
# collects them, and deletes what it created if every log is saved. Exit code: of `load --collect`; 3: no log, 130: a signal.
set -u; { [ $# -ge 2 ] && [ -r "$1" ]; } || { echo "kubernetes: name the manifest, a file, and the namespace" >&2; exit 2; }
manifest=$1 namespace=$2 && shift 2
value() { sed -n "s|^ *\"$1\": \"*\([a-z0-9-]*\)\"*,*$|\1|p" "$manifest" | head -n 1; }
name=$(value app.kubernetes.io/instance) pods=$(value parallelism) seconds=$(value shelfcheck/seconds)
folder=$(dirname "$manifest")/$name command=$(dirname "$0")/../scripts/cli/shelfcheck.cjs
removal="kubectl delete testruns.k6.io,configmaps --selector app.kubernetes.io/instance=$name --namespace $namespace --wait=false"
most=0 shown='' begun=no code=3 latest=$(($(date +%s) + 600))
say() { [ "$*" = "$shown" ] || printf 'kubernetes: %s\n' "$*" >&2; shown=$*; }
ask() { kubectl "$@" --namespace "$namespace" --request-timeout=30s; }
again() { "$@" || { sleep 5 && "$@"; } || { sleep 20 && "$@"; }; } # The API server may be away for a moment.
look() { # One line for each pod. Never its definition, which may have keys.
  ask get pods --selector "k6_cr=$name" --no-headers --output custom-columns="POD:.metadata.name,\
LOAD:.metadata.labels.runner,PHASE:.status.phase,DELETED:.metadata.deletionTimestamp,\
WAITS:.status.containerStatuses[*].state.waiting.reason,ENDED:.status.containerStatuses[*].state.terminated.reason,\
WHY:.status.conditions[*].message" >"$folder/pods.new" 2>"$folder/error.txt" && mv "$folder/pods.new" "$folder/pods.txt"
}
ended() { # Whether all pods that send load were there and none is active, whatever the operator does; or access is refused.
  if ! look; then
    say "$(tail -n 1 "$folder/error.txt")"
    case $shown in *nauthorized* | *orbidden*) return 0 ;; *) return 1 ;; esac
  fi
  say "of $pods pods: $(awk '$2 == "true" { n[$3 " " $5]++ } END { for (s in n) print n[s], s }' "$folder/pods.txt" |
    sed 's/ <none>//' | sort | paste -sd, -)"
  there=$(awk '$2 == "true"' "$folder/pods.txt" | wc -l)
  [ "$there" -le "$most" ] || most=$there
  [ "$most" -ge "$pods" ] || return 1
  case $begun$shown in no*Pending*) ;; no*) begun=yes latest=$(($(date +%s) + seconds)) ;; esac
  awk '$2 == "true" && $3 !~ /Succeeded|Failed/ && $4 == "<none>" { active = 1 } END { exit active }' "$folder/pods.txt"
}
# shellcheck disable=SC2317 # called by again
log() { ask logs "$1" >"$folder/part" && mv "$folder/part" "$folder/logs/$1.log"; }
keep() {
  ask get events --sort-by=.metadata.creationTimestamp 2>/dev/null | grep "$name" >"$folder/events.txt"
  kept=no && again look && kept=yes || return
  while read -r pod _ phase _; do # A pending pod has no log.
    [ "$phase" = Pending ] || again log "$pod" || kept=no
  done <"$folder/pods.txt"
}
remove() {
  trap '' HUP INT TERM
  # shellcheck disable=SC2086 # a command and its arguments
  if [ $kept = yes ] && again $removal --request-timeout=30s >&2; then return; fi
  say "NOT DELETED, pods may still send load. What could be saved is in $folder. To delete them: $removal"
}
node "$command" --version >/dev/null || exit 3 # Then no load is sent that could not be collected.
{ [ "$name" ] && mkdir "$folder" && mkdir "$folder/logs"; } || { say "Write $manifest (again): it is for one run"; exit 2; }
trap 'trap "" HUP INT TERM; keep; remove; exit 130' HUP INT TERM
ask create --filename "$manifest" >"$folder/created.txt" || {
  [ ! -s "$folder/created.txt" ] || { keep; remove; }
  say "Not everything was created. To delete what may be there: $removal"; exit 3
}
until ended || [ "$(date +%s)" -gt "$latest" ]; do sleep 5; done
keep
[ -z "$(ls "$folder/logs")" ] || { node "$command" load --collect "$folder/logs" "$@"; code=$?; }
remove
exit "$code"
