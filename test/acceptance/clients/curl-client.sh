#!/bin/bash
# A careful client of curl and jq, one request after another, each with a connection of its own. CLIENT_FLAW: one flaw.
set -u
wait_for() {
  [ "${CLIENT_FLAW:-}" = half-a-second ] && sleep 0.5 || sleep "$1"
}

# ask PATH [CURL-ARGUMENT…]: the body of the response, which was no refusal and no failure.
ask() {
  local path=$1 failures=0 status wait
  shift
  while :; do
    status=$(curl -sS -o "$body" -D "$head" -w '%{http_code}' -H "X-Api-Key: $SHELFCHECK_API_KEY" "$@" \
      "$SHELFCHECK_BASE_URL$path")
    case $status in
      429)
        wait=$(tr -d '\r' <"$head" | awk -F ': ' 'tolower($1) == "retry-after" { print $2 }')
        wait_for "$wait"
        ;;
      502 | 504)
        failures=$((failures + 1))
        [ "$failures" -gt 3 ] && return
        sleep 0.2
        ;;
      *) return ;;
    esac
  done
}

query() {
  ask /products -G "$@"
}

look_up() {
  if [ "$(jq -r .by <<<"$1")" = id ]; then
    ask "/products/$(jq -r '"\(.retailer | @uri)/\(.product_id | @uri)"' <<<"$1")"
  else
    query --data-urlencode "$(jq -r 'if .by == "url" then "url=" + .url else "gtin=" + .gtin end' <<<"$1")"
  fi
}

walk() {
  local cursor=""
  for ((page = 1; ; page++)); do
    query --data-urlencode "category=$1" ${cursor:+--data-urlencode "cursor=$cursor"}
    [ "${CLIENT_FLAW:-}" = exits-in-a-walk ] && [ "$page" = 3 ] && exit 7
    cursor=$(jq -r .meta.next_cursor "$body")
    [ -z "$cursor" ] && return
  done
}

search() {
  local slug
  for ((round = 0; round < $2; round++)); do
    ask /retailers
    jq -r '.retailers[].slug' "$body" >"$slugs"
    while read -r slug; do
      [ "${CLIENT_FLAW:-}" = escapes-slugs-twice ] && slug=$(jq -rn --arg slug "$slug" '$slug | @uri')
      query --data-urlencode "gtin=$1" --data-urlencode "retailer=$slug"
    done <"$slugs"
  done
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
body=$folder/body head=$folder/head slugs=$folder/slugs
while read -r task <&3; do
  case $(jq -r .do <<<"$task") in
    list-retailers) ask /retailers ;;
    look-up)
      while read -r product <&4; do look_up "$product"; done 4< <(jq -c '.products[]' <<<"$task")
      ;;
    walk) walk "$(jq -r .category <<<"$task")" ;;
    batch)
      while read -r items <&4; do
        ask /products/batch-lookup -H 'Content-Type: application/json' -d "{\"items\":$items}"
      done 4< <(jq -c '.items | _nwise(50)' <<<"$task")
      ;;
    search-retailers) search "$(jq -r .gtin <<<"$task")" "$(jq -r .rounds <<<"$task")" ;;
    keep-looking-up)
      end=$((SECONDS + $(jq -r .seconds <<<"$task")))
      for ((turn = 0; SECONDS < end; turn++)); do
        look_up "$(jq -c ".products[$turn % (.products | length)]" <<<"$task")"
        sleep 0.1
      done
      ;;
  esac
done 3< <(jq -c '.tasks[]' <<<"$SHELFCHECK_TASK")
