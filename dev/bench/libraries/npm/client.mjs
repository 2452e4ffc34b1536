// Does the tasks of `npm run bench -- libraries` with the library in LIBRARY, with its documented retry if RETRY is "on".
const { SHELFCHECK_BASE_URL: base, SHELFCHECK_API_KEY: key, SHELFCHECK_TASK, LIBRARY, RETRY } = process.env;
const isOn = RETRY === "on";
const load = async (name) => (await import(name)).default;
const headers = { "X-Api-Key": key, "Content-Type": "application/json" };
const statuses = [429, 502, 504];

/** Each sends one request and returns its status, or throws. */
const libraries = {
  "fetch (Node)": () => (url, init) => fetch(url, init).then(({ status }) => status),
  undici: async () => {
    const { Agent, RetryAgent, request } = await import("undici");
    const dispatcher = isOn
      ? new RetryAgent(new Agent(), { methods: ["GET", "POST"], statusCodes: statuses })
      : new Agent();
    return async (url, init) => {
      const { statusCode, body } = await request(url, { ...init, dispatcher });
      await body.dump();
      return statusCode;
    };
  },
  got: async () => {
    const got = await load("got");
    const retry = isOn ? { retry: { limit: 5, methods: ["GET", "POST"] } } : {};
    return (url, init) =>
      got(url, { ...init, ...retry, throwHttpErrors: isOn }).then(({ statusCode }) => statusCode);
  },
  ky: async () => {
    const ky = await load("ky");
    const retry = isOn ? { retry: { limit: 5, methods: ["get", "post"] } } : {};
    return (url, init) => ky(url, { ...init, ...retry }).then(({ status }) => status);
  },
  axios: async () => {
    const axios = await load("axios");
    return (url, { body, ...init }) => axios(url, { ...init, data: body }).then(({ status }) => status);
  },
  "axios-retry": async () => {
    const [axios, axiosRetry] = [await load("axios"), await load("axios-retry")];
    const client = axios.create();
    const { exponentialDelay: retryDelay } = axiosRetry;
    const retryCondition = ({ response }) => statuses.includes(response?.status);
    axiosRetry(client, isOn ? { retries: 5, retryDelay, retryCondition } : {});
    return (url, { body, ...init }) => client(url, { ...init, data: body }).then(({ status }) => status);
  },
  superagent: async () => {
    const superagent = await load("superagent");
    return async (url, { method = "GET", body }) => {
      const request = superagent(method, url).set(headers);
      if (isOn) request.retry(5);
      return (await request.send(body)).status;
    };
  },
  ofetch: async () => {
    const { ofetch } = await import("ofetch");
    const retry = isOn ? { retry: 5, retryDelay: 500, retryStatusCodes: statuses } : {};
    return (url, init) => ofetch.raw(url, { ...init, ...retry }).then(({ status }) => status);
  },
  "make-fetch-happen": async () => {
    const fetchHappen = await load("make-fetch-happen");
    return (url, init) => fetchHappen(url, { ...init, retry: isOn ? 5 : false }).then(({ status }) => status);
  },
  "fetch-retry": async () => {
    const fetchRetry = (await load("fetch-retry"))(fetch);
    const retry = isOn ? { retries: 5, retryOn: statuses, retryDelay: 1000 } : {};
    return (url, init) => fetchRetry(url, { ...init, ...retry }).then(({ status }) => status);
  },
  needle: async () => {
    const needle = await load("needle");
    return (url, { method = "get", body = null }) =>
      needle(method.toLowerCase(), url, body, { headers }).then(({ statusCode }) => statusCode);
  },
  "node-fetch": async () => {
    const nodeFetch = await load("node-fetch");
    return (url, init) => nodeFetch(url, init).then(({ status }) => status);
  },
  "p-retry": async () => {
    const pRetry = await load("p-retry");
    const once = async (url, init) => {
      const response = await fetch(url, init);
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.status;
    };
    return (url, init) => pRetry(() => once(url, init), { retries: 3 });
  },
};

const send = await libraries[LIBRARY]();

/** A request that failed is given up, and what follows waits until every limit is over. */
async function ask(path, init = {}) {
  const status = await send(base + path, { ...init, headers }).catch(
    (error) => error.response?.statusCode ?? error.response?.status ?? error.statusCode ?? 0,
  );
  if (status !== 200 && status !== 404) await new Promise((done) => setTimeout(done, 6000));
}

for (const { do: name, products = [], items = [] } of JSON.parse(SHELFCHECK_TASK).tasks) {
  for (const { by, retailer, product_id: id, ...query } of products)
    await ask(
      by === "id"
        ? `/products/${encodeURIComponent(retailer)}/${encodeURIComponent(id)}`
        : `/products?${new URLSearchParams(query)}`,
    );
  for (let at = 0; at < items.length && name === "batch"; at += 50)
    await ask("/products/batch-lookup", {
      method: "POST",
      body: JSON.stringify({ items: items.slice(at, at + 50) }),
    });
}
