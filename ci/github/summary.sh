#!/usr/bin/env bash
# Adds the Markdown report of a run to the job page.
set -euo pipefail

summary="$ACTION_REPORTS/summary.md"
if [ ! -f "$summary" ]; then
  echo "shelfcheck wrote no summary." >>"$GITHUB_STEP_SUMMARY"
  exit 0
fi
# GitHub accepts at most 1 MiB per step and drops a longer summary completely.
head -c 1000000 "$summary" >>"$GITHUB_STEP_SUMMARY"
