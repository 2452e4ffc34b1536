import { randomBytes } from "node:crypto";

/** What a hostile client sends on one connection; a slow one stops in the middle and stays connected. */
export interface Attack {
  readonly bytes: readonly Buffer[];
  readonly slow: boolean;
}

type AttackKind = (key: string) => Attack;

const once = (text: string): Attack => ({ bytes: [Buffer.from(text, "latin1")], slow: false });
const slow = (text: string): Attack => ({ bytes: [Buffer.from(text, "latin1")], slow: true });

const get = (path: string, key: string) =>
  once(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`);

function post(body: Buffer, key: string, type = "application/json"): Attack {
  const head = `POST /v1/products/batch-lookup HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return { bytes: [Buffer.from(head), body], slow: false };
}

const deep = Buffer.from(`{"items":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
const wide = Buffer.from(`{"items":[${Array(7000).fill('{"retailer":"a","product_id":"b"}').join(",")}]}`);
const huge = Buffer.alloc(3_000_000, 0x20);

const kinds: readonly AttackKind[] = [
  () => ({ bytes: [randomBytes(200)], slow: false }),
  () => ({ bytes: [randomBytes(20_000)], slow: false }),
  (key) =>
    once(
      `GET /v1/retailers HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nX-Big: ${"x".repeat(100_000)}\r\n\r\n`,
    ),
  (key) =>
    once(`GET /v1/retailers HTTP/1.1\r\nHost: x\r\n${"X: y\r\n".repeat(3000)}X-Api-Key: ${key}\r\n\r\n`),
  (key) => get(`/v1/products?category=${"x".repeat(9000)}`, key),
  (key) => get(`/v1/products/${"%41".repeat(2000)}/x`, key),
  (key) => get("/v1/products/%/%zz", key),
  (key) => get("/v1/products/nordkauf/%ff%fe%00", key),
  (key) => get("/v1/products/nordkauf/%ed%a0%80", key),
  (key) => get("/v1/products?gtin=%c0%af&gtin=1&&&==&%", key),
  (key) => get("/v1/products?category=%00%0d%0aSet-Cookie:x", key),
  (key) => get(`/v1/products?url=${encodeURIComponent(`https://${"a.".repeat(2000)}x/`)}`, key),
  (key) => get(`/v1/products?url=${encodeURIComponent("https://[::1]:99999/")}`, key),
  (key) => get(`/v1/products?category=shoes&limit=1&cursor=${"A".repeat(5000)}`, key),
  (key) => get("/v1/products/__proto__/constructor", key),
  (key) => get("/v1/../../etc/passwd", key),
  (key) => get("*", key),
  (key) => get("http://elsewhere.invalid/v1/retailers", key),
  () => get("/v1/retailers", "\xff\xfe"),
  (key) => post(deep, key),
  (key) => post(wide, key),
  (key) => post(huge, key),
  (key) => post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), key),
  (key) => post(Buffer.from('{"__proto__":{"items":[]},"constructor":{"prototype":{}}}'), key),
  (key) => post(Buffer.from('{"items":[{"retailer":"\\ud800","product_id":"\\u0000"}]}'), key),
  (key) => post(Buffer.from("{}"), key, "text/html"),
  (key) => post(Buffer.from("{}"), key, "application/json; charset=nonsense; ;;"),
  (key) =>
    once(
      `POST /v1/products/batch-lookup HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ),
  (key) =>
    once(
      `POST /v1/products/batch-lookup HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Length: -1\r\n\r\n`,
    ),
  (key) =>
    once(
      `POST /v1/products/batch-lookup HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ),
  (key) => once(`GET /v1/retailers HTTP/9.9\r\nX-Api-Key: ${key}\r\n\r\n`),
  (key) => once(`BREW /v1/retailers HTTP/1.1\r\nX-Api-Key: ${key}\r\n\r\n`),
  (key) => once(`TRACE /v1/retailers HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`),
  (key) => once(`GET /v1/retailers HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nX-Api-Key: ${key}\r\n\r\n`),
  (key) =>
    once(
      `GET /v1/retailers HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Api-Key: ${key}\r\n\r\n`,
    ),
  (key) => once(`CONNECT elsewhere.invalid:443 HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`),
  (key) => once(`GET /v1/retailers HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`.repeat(50)),
  () => slow("GET /v1/retailers HTTP/1.1\r\nHost: x\r\nX-Slow: "),
  (key) =>
    slow(
      `POST /v1/products/batch-lookup HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"items":`,
    ),
];

/** All kinds of attack, which take turns. */
export function attacks(key: string, number: number): Attack {
  const kind = kinds[number % kinds.length] ?? (() => once(""));
  return kind(key);
}
