#!/usr/bin/env bash
# Puts the Markdown report of a run on the page of the job.
set -euo pipefail

summary="$ACTION_REPORTS/summary.md"
if [ ! -f "$summary" ]; then
  echo "shelfcheck wrote no summary; the artifact has what it wrote." >>"$GITHUB_STEP_SUMMARY"
  exit 0
fi
# GitHub takes at most 1 MiB of a step and drops the whole of a longer one.
head -c 1000000 "$summary" >>"$GITHUB_STEP_SUMMARY"
