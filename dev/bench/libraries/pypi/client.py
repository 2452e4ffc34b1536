"""Does the tasks of `npm run bench -- libraries` with the library in LIBRARY, with its documented retry if RETRY is "on"."""

import asyncio
import json
import os
import time
import urllib.parse
import urllib.request

BASE = os.environ["SHELFCHECK_BASE_URL"]
HEADERS = {"X-Api-Key": os.environ["SHELFCHECK_API_KEY"], "Content-Type": "application/json"}
ON = os.environ["RETRY"] == "on"
STATUSES = [429, 502, 504]


def of_urllib():
    def send(method, url, body):
        request = urllib.request.Request(url, data=body, headers=HEADERS, method=method)
        with urllib.request.urlopen(request) as response:
            return response.status

    return send


def retry_of_urllib3():
    from urllib3.util import Retry

    return Retry(total=5, backoff_factor=0.5, status_forcelist=STATUSES, allowed_methods=None)


def of_urllib3():
    import urllib3

    pool = urllib3.PoolManager(**({"retries": retry_of_urllib3()} if ON else {}))
    return lambda method, url, body: pool.request(method, url, body=body, headers=HEADERS).status


def of_requests():
    import requests

    session = requests.Session()
    if ON:
        session.mount("http://", requests.adapters.HTTPAdapter(max_retries=retry_of_urllib3()))
    return lambda method, url, body: session.request(method, url, data=body, headers=HEADERS).status_code


def of_httpx():
    import httpx

    client = httpx.Client()
    return lambda method, url, body: client.request(method, url, content=body, headers=HEADERS).status_code


def of_httpx_retries():
    import httpx
    from httpx_retries import Retry, RetryTransport

    retry = Retry(total=5, backoff_factor=0.5, allowed_methods=["GET", "POST"]) if ON else Retry()
    client = httpx.Client(transport=RetryTransport(retry=retry))
    return lambda method, url, body: client.request(method, url, content=body, headers=HEADERS).status_code


def of_aiohttp():
    import aiohttp

    async def ask(method, url, body):
        async with aiohttp.ClientSession() as session:
            async with session.request(method, url, data=body, headers=HEADERS) as response:
                return response.status

    return lambda *request: asyncio.run(ask(*request))


def of_aiohttp_retry():
    from aiohttp_retry import ExponentialRetry, RetryClient

    options = {"retry_options": ExponentialRetry(attempts=5, statuses=set(STATUSES))} if ON else {}

    async def ask(method, url, body):
        async with RetryClient(**options) as client:
            async with client.request(method, url, data=body, headers=HEADERS) as response:
                return response.status

    return lambda *request: asyncio.run(ask(*request))


def of_tenacity():
    import requests
    import tenacity

    def once(method, url, body):
        response = requests.request(method, url, data=body, headers=HEADERS)
        response.raise_for_status()
        return response.status_code

    stop = tenacity.stop_after_attempt(5)
    if not ON:
        return tenacity.retry(stop=stop)(once)
    return tenacity.retry(stop=stop, wait=tenacity.wait_random_exponential(multiplier=0.5, max=60))(once)


def of_backoff():
    import backoff
    import requests

    def once(method, url, body):
        return requests.request(method, url, data=body, headers=HEADERS)

    if ON:
        # As its README shows it.
        once = backoff.on_predicate(
            backoff.runtime,
            predicate=lambda response: response.status_code == 429,
            value=lambda response: int(response.headers.get("Retry-After")),
            jitter=None,
            max_tries=5,
        )(once)
    return lambda *request: once(*request).status_code


LIBRARIES = {
    "urllib (Python)": of_urllib,
    "urllib3": of_urllib3,
    "requests": of_requests,
    "httpx": of_httpx,
    "httpx-retries": of_httpx_retries,
    "aiohttp": of_aiohttp,
    "aiohttp-retry": of_aiohttp_retry,
    "tenacity": of_tenacity,
    "backoff": of_backoff,
}
send = LIBRARIES[os.environ["LIBRARY"]]()


def ask(method, path, body=None):
    """A request that failed is given up, and what follows waits until every limit is over."""
    try:
        status = send(method, BASE + path, body)
    except Exception as error:
        cause = getattr(error, "last_attempt", None)
        cause = error if cause is None else cause.exception()
        status = getattr(cause, "code", None) or getattr(getattr(cause, "response", None), "status_code", 0)
    if status not in (200, 404):
        time.sleep(6)


for task in json.loads(os.environ["SHELFCHECK_TASK"])["tasks"]:
    for product in task.get("products", []):
        if product["by"] == "id":
            names = (urllib.parse.quote(product[name], safe="") for name in ("retailer", "product_id"))
            ask("GET", "/products/" + "/".join(names))
        else:
            ask("GET", "/products?" + urllib.parse.urlencode({product["by"]: product[product["by"]]}))
    items = task.get("items", [])
    for at in range(0, len(items), 50):
        ask("POST", "/products/batch-lookup", json.dumps({"items": items[at : at + 50]}).encode())
