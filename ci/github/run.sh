#!/usr/bin/env bash
# Runs shelfcheck with the inputs of the action, given as variables ACTION_*, and ends with its exit code.
set -euo pipefail

action=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

case "$ACTION_COMMAND" in
  gate | conformance | load | client) ;;
  *)
    echo "The input command must be gate, conformance, load or client; it is: $ACTION_COMMAND" >&2
    exit 2
    ;;
esac

# `--flag=value` in one word, so that a value may begin with a dash.
arguments=("$ACTION_COMMAND" "--out=$ACTION_OUT")
if [ -n "$ACTION_TARGET" ]; then arguments+=("--target=$ACTION_TARGET"); fi
if [ -n "$ACTION_BASE_URL" ]; then arguments+=("--base-url=$ACTION_BASE_URL"); fi
while IFS= read -r line; do
  if [ -n "$line" ]; then arguments+=("--category=$line"); fi
done <<<"${ACTION_CATEGORIES//$'\r'/}"
while IFS= read -r line; do
  if [ -n "$line" ]; then arguments+=("$line"); fi
done <<<"${ACTION_ARGS//$'\r'/}"
# The user's own line, which may have pipes and variables.
if [ "$ACTION_COMMAND" = client ]; then
  if [ -z "$ACTION_CLIENT" ]; then
    echo "The input client is missing: the program to watch" >&2
    exit 2
  fi
  arguments+=("--" "bash" "-c" "$ACTION_CLIENT")
fi

# The folder behind the link `latest`, if it exists.
latest() {
  if [ -d "$ACTION_OUT/latest" ]; then (cd -P -- "$ACTION_OUT/latest" && pwd); fi
}
# The folder of an earlier run, which must not be output as the report of this one.
before=$(latest)

# The runner executes lines such as `::error::` on stdout, and shelfcheck prints responses of a service.
token=$(node -p 'require("node:crypto").randomUUID()')
echo "::stop-commands::$token"
code=0
node "$action/scripts/cli/shelfcheck.cjs" "${arguments[@]}" || code=$?
echo "::$token::"

reports=$(latest)
if [ "$reports" = "$before" ]; then reports=""; fi
{
  echo "exit-code=$code"
  printf 'reports<<%s\n%s\n%s\n' "$token" "$reports" "$token"
} >>"$GITHUB_OUTPUT"
# Behind the guarded block, so that these lines are commands to the runner. They have no text of the service.
if [ -f "$reports/results.json" ]; then
  node "$action/ci/github/outputs.mjs" "$reports/results.json" || true
fi
exit "$code"
