#!/usr/bin/env bash
# Installs the dependencies if this action is a clone of the repository; an installed package has them. Outputs the folder
# of the k6 cache and the version of shelfcheck.
set -euo pipefail

action=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ ! -d "$action/dist" ] && [ ! -d "$action/node_modules" ]; then
  (cd "$action" && npm ci --no-audit --no-fund)
fi
version=$(node -p 'require(process.argv[1]).version' "$action/package.json")
{
  echo "cache=${XDG_CACHE_HOME:-$HOME/.cache}/shelfcheck"
  echo "version=$version"
} >>"$GITHUB_OUTPUT"
