#!/usr/bin/env bash
# Makes the shelfcheck that this action came with ready to run. As an installed package it is; a clone of its
# repository still needs its dependencies. Says where k6 is kept between runs, and for which version.
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
