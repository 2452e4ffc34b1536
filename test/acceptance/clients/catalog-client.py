"""A careful client in Python that can be given one flaw at a time (CLIENT_FLAW). Each thread keeps its connection."""

import concurrent.futures
import http.client
import json
import multiprocessing
import os
import random
import re
import threading
import time
import urllib.parse

BASE = urllib.parse.urlsplit(os.environ["SHELFCHECK_BASE_URL"])
KEY = os.environ["SHELFCHECK_API_KEY"]
FLAW = os.environ.get("CLIENT_FLAW", "")
STYLE = os.environ.get("CLIENT_STYLE", "sequential")

NO_RESPONSE = (http.client.HTTPException, OSError)

paused_until = 0.0
gate = threading.Lock()
own = threading.local()


class GivesUp(Exception):
    """The client cannot go on."""


def pause(seconds):
    global paused_until
    if FLAW == "waits-alone":
        time.sleep(seconds)
        return
    with gate:
        paused_until = max(paused_until, time.monotonic() + seconds + 0.005)


def until_allowed():
    while True:
        rest = paused_until - time.monotonic()
        if rest <= 0:
            return
        time.sleep(rest)


def wait_for(seconds, attempt):
    if FLAW == "backs-off-without-retry-after":
        return min(8, 0.25 * 2**attempt) * random.uniform(0.8, 1)
    if FLAW == "caps-the-wait":
        return min(seconds, 2)
    if FLAW == "takes-milliseconds":
        return seconds / 1000
    return seconds


def send(method, path, query="", body=None):
    headers = {"X-Api-Key": KEY, "Accept": "application/json"}
    if FLAW == "key-only-in-the-query":
        del headers["X-Api-Key"]
        query = "&".join(part for part in [query, urllib.parse.urlencode({"key": KEY})] if part)
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        if FLAW == "batch-as-form":
            data = urllib.parse.urlencode(body).encode()
        headers["Content-Type"] = {
            "batch-as-text": "text/plain",
            "batch-as-form": "application/x-www-form-urlencoded",
        }.get(FLAW, "application/json")
    if FLAW == "browser-headers":
        headers.update({"Origin": "https://shop.example", "Sec-Fetch-Site": "cross-site"})
    if not hasattr(own, "connection"):
        own.connection = http.client.HTTPConnection(BASE.netloc, timeout=30)
    try:
        own.connection.request(method, BASE.path + path + ("?" + query if query else ""), data, headers)
        response = own.connection.getresponse()
        return response.status, response.headers, json.load(response)
    except NO_RESPONSE:
        # The next request opens it again.
        own.connection.close()
        raise


def ask(method, path, query="", body=None):
    failures = 0
    attempt = 0
    while True:
        if not (FLAW == "other-thread-goes-on" and threading.current_thread().name == "other"):
            until_allowed()
        try:
            status, headers, answer = send(method, path, query, body)
        except NO_RESPONSE:
            failures += 1
            if failures > 3:
                raise
            continue
        if status == 429:
            if FLAW == "drops-refused-requests":
                return status, answer
            pause(wait_for(int(headers["Retry-After"]), attempt))
            attempt += 1
            continue
        if status in (502, 504) and FLAW == "hammers-502":
            continue
        if status in (502, 504) and failures < 3:
            failures += 1
            time.sleep(0.02)
            continue
        message = answer["error"]["message"].lower() if status == 404 else ""
        if FLAW == "retries-by-message" and re.search("rate limit|try again", message) and failures < 2:
            failures += 1
            time.sleep(1)
            continue
        if status == 404 and FLAW == "stops-at-other-message" and not re.search("not|no ", message):
            raise GivesUp(message)
        return status, answer


def check_fields(product):
    if FLAW == "needs-the-price":
        product["price"] + 0
    if FLAW == "refuses-unknown-fields" and "badges" in product:
        raise GivesUp("unknown field")


def look_up(product):
    if product["by"] == "id":
        path = "/products/" + "/".join(
            urllib.parse.quote(product[name], safe="") for name in ("retailer", "product_id")
        )
        status, answer = ask("GET", path)
    else:
        query = {product["by"]: product[product["by"]]}
        if FLAW == "sends-category-too" and product["by"] == "gtin":
            query["category"] = "books"
        status, answer = ask("GET", "/products", urllib.parse.urlencode(query))
    if status == 200:
        check_fields(answer)


def walk(category):
    cursor = ""
    while True:
        query = {"category": category, "limit": "20"}
        if cursor:
            query["cursor"] = cursor
        encode = urllib.parse.urlencode(query)
        if FLAW == "plus-not-escaped":
            encode = encode.replace("%2B", "+")
        status, page = ask("GET", "/products", encode)
        if status != 200:
            return
        for product in page["products"]:
            check_fields(product)
        if cursor and FLAW == "asks-after-the-end" and not page["meta"]["next_cursor"]:
            ask("GET", "/products", urllib.parse.urlencode({"category": category, "cursor": ""}))
        cursor = page["meta"]["next_cursor"]
        if not cursor or (FLAW == "until-empty-page" and not page["products"]):
            return
        if FLAW == "until-count-is-small" and page["meta"]["count"] < 20:
            return
        if FLAW == "lower-case-cursor":
            cursor = cursor.lower()
        if FLAW == "killed-in-a-walk" and len(page["products"]) < 2:
            os.kill(os.getpid(), 9)


def batches(items):
    size = 120 if FLAW == "one-large-batch" else 50
    for start in range(0, len(items), size):
        body = {"items": items[start : start + size]}
        if FLAW == "key-in-the-batch":
            body["key"] = KEY
        ask("POST", "/products/batch-lookup", body=body)


def search(gtin, rounds):
    gone = set()
    known = ["nordkauf", "brightmart", "tinkerbox"] if FLAW == "never-lists-retailers" else []
    for _ in range(rounds):
        if FLAW != "never-lists-retailers":
            _, answer = ask("GET", "/retailers")
            listed = [retailer["slug"] for retailer in answer.get("retailers", [])]
            former = known if FLAW == "keeps-asking-a-retailer" else []
            known = former + [retailer for retailer in listed if retailer not in former]
        for retailer in known:
            if retailer in gone:
                continue
            status, _ = ask("GET", "/products", urllib.parse.urlencode({"gtin": gtin, "retailer": retailer}))
            if status in (400, 403) and FLAW not in ("keeps-asking-a-retailer", "never-lists-retailers"):
                gone.add(retailer)


def keep(products, seconds):
    end = time.monotonic() + seconds
    turn = 0
    while time.monotonic() < end:
        look_up(products[turn % len(products)])
        turn += 1
        time.sleep(random.uniform(0.05, 0.15))


def perform(task, pool):
    name = task["do"]
    if STYLE == "hedged" and name == "look-up":
        # Each lookup is sent twice at the same time, whichever is faster.
        task = {**task, "products": [product for product in task["products"] for _ in (1, 2)]}
    if name == "list-retailers":
        if FLAW != "never-lists-retailers":
            ask("GET", "/retailers")
    elif name == "look-up":
        list(pool.map(look_up, task["products"]))
    elif name == "walk":
        walk(task["category"])
    elif name == "batch":
        batches(task["items"])
    elif name == "search-retailers":
        search(task["gtin"], task["rounds"])
    elif name == "keep-looking-up":
        keep(task["products"], task["seconds"])


def other(stop):
    while not stop.is_set():
        try:
            send("GET", "/retailers")
        except NO_RESPONSE:
            pass
        time.sleep(random.uniform(0.05, 0.1))


def part_of(tasks, part):
    """A half of the tasks, for one of two processes."""
    return [task for at, task in enumerate(tasks) if at % 2 == part]


def main(part=None):
    tasks = json.loads(os.environ["SHELFCHECK_TASK"])["tasks"]
    if STYLE == "processes":
        if part is None:
            workers = [multiprocessing.Process(target=main, args=(each,)) for each in (0, 1)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            return
        tasks = part_of(tasks, part)
    stop = threading.Event()
    if FLAW == "other-thread-goes-on":
        threading.Thread(target=other, args=(stop,), name="other", daemon=True).start()
    workers = {"threads": 3, "hedged": 2, "burst": 40}.get(STYLE, 3 if FLAW == "waits-alone" else 1)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for task in tasks:
            perform(task, pool)
    stop.set()


if __name__ == "__main__":
    main()
