#!/usr/bin/env bash
# Runs shelfcheck with the inputs of the action, which come as variables ACTION_*; ends with its exit code.
set -euo pipefail

action=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

case "$ACTION_COMMAND" in
  gate | conformance | load) ;;
  *)
    echo "The input command is gate, conformance or load, and not: $ACTION_COMMAND" >&2
    exit 2
    ;;
esac

# `--flag=value` in one word: a value that begins with a dash stays a value.
arguments=("$ACTION_COMMAND" "--out=$ACTION_OUT")
if [ -n "$ACTION_TARGET" ]; then arguments+=("--target=$ACTION_TARGET"); fi
if [ -n "$ACTION_BASE_URL" ]; then arguments+=("--base-url=$ACTION_BASE_URL"); fi
while IFS= read -r line; do
  if [ -n "$line" ]; then arguments+=("--category=$line"); fi
done <<<"${ACTION_CATEGORIES//$'\r'/}"
while IFS= read -r line; do
  if [ -n "$line" ]; then arguments+=("$line"); fi
done <<<"${ACTION_ARGS//$'\r'/}"

# The folder that the link `latest` leads to, if there is one.
latest() {
  if [ -d "$ACTION_OUT/latest" ]; then (cd -P -- "$ACTION_OUT/latest" && pwd); fi
}
# Of an earlier run: only a folder that this run wrote is its report.
before=$(latest)

# The runner takes lines like `::error::` on stdout as commands, and we print what a service answered.
token=$(node -p 'require("node:crypto").randomUUID()')
echo "::stop-commands::$token"
code=0
node "$action/scripts/shelfcheck.cjs" "${arguments[@]}" || code=$?
echo "::$token::"

reports=$(latest)
if [ "$reports" = "$before" ]; then reports=""; fi
{
  echo "exit-code=$code"
  printf 'reports<<%s\n%s\n%s\n' "$token" "$reports" "$token"
} >>"$GITHUB_OUTPUT"
exit "$code"
