import type { Socket } from "node:net";
import { maxBodyBytes } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { UnusualHttp } from "../../schemas/contracts/vocabulary.ts";
import type { TransportFailure } from "../../schemas/words/transport.ts";

// What RFC 9112 lets a client read, and Node's parser refuses, is read here before the parser gets it. What no client
// may read is named more precisely than the parser does.

/** Most bytes of a head. k6 reads as many. */
export const maxHeadBytes = 10 * 1024 * 1024;
/** From here on common gateways and clients refuse a head: Node.js by default. */
export const usualHeadBytes = 16 * 1024;

/** A head that no client may read, or that would be read in different ways. */
export class MalformedHead extends Error {
  override readonly name = "MalformedHead";
  readonly failure: TransportFailure;
  constructor(failure: TransportFailure) {
    super(failure);
    this.failure = failure;
  }
}

/** What a head becomes for the parser; nothing if it is an interim response. */
export interface ReadHead {
  readonly head: string | undefined;
  readonly unusual: readonly UnusualHttp[];
  /** Bytes of the body, where Content-Length decides. */
  readonly bodyBytes: number | undefined;
}

/**
 * Reads the head of a response, whose characters are its bytes.
 * @throws MalformedHead
 */
export function readHead(head: string): ReadHead {
  const unusual: UnusualHttp[] = [];
  const isLarge = head.length > usualHeadBytes;
  if (isLarge) unusual.push("large head");
  const ended = head.split("\n").slice(0, -1);
  if (!ended.every((line) => line.endsWith("\r"))) unusual.push("line feeds alone");
  // The last is the empty line.
  const lines = ended.slice(0, -1).map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  const status = statusIn(lines[0] ?? "");
  // RFC 9110, 15.2: a client must be able to read interim responses, even if it does not expect one.
  if (status === 101) throw new MalformedHead("protocol switch");
  if (status < 200) return { head: undefined, unusual: [], bodyBytes: undefined };
  const given = isLarge ? lines.map(shortened) : lines;
  const fields = unfolded(given.slice(1), unusual);
  const isOf = (name: string) => (line: string) => line.slice(0, line.indexOf(":")).toLowerCase() === name;
  const lengths = fields.filter(isOf("content-length")).flatMap((line) => fieldValue(line).split(","));
  const isCoded = fields.some(isOf("transfer-encoding"));
  const length = lengthOf(lengths, isCoded, unusual);
  const bodyBytes = status === 204 || status === 304 ? 0 : length;
  // RFC 9110, 8.6: a length may have any number of digits. Node's parser refuses those beyond 64 bits.
  if (bodyBytes !== undefined && bodyBytes > maxBodyBytes) throw new MalformedHead("too big");
  if (unusual.length === 0) return { head, unusual, bodyBytes };
  const others = fields.filter((line) => !isOf("content-length")(line));
  const own = length === undefined ? [] : [`Content-Length: ${length}`];
  return { head: `${[lines[0], ...others, ...own].join("\r\n")}\r\n\r\n`, unusual, bodyBytes };
}

const longestLine = 4096;

/** Its beginning: all exchanges of a run are kept in memory. */
function shortened(line: string): string {
  if (line.length <= longestLine) return line;
  return `${line.slice(0, longestLine)}... (${line.length} characters)`;
}

function statusIn(line: string): number {
  const [, digits] = /^HTTP\/\d\.\d (\d{3})(?: |$)/.exec(line) ?? [];
  const status = Number(digits);
  if (digits === undefined || status < 100) throw new MalformedHead("status line");
  return status;
}

/** The header lines, with folded ones joined: RFC 9112, 5.2 tells a client to replace each fold by a space. */
function unfolded(lines: readonly string[], unusual: UnusualHttp[]): string[] {
  const fields: string[] = [];
  for (const line of lines) {
    if (/^[ \t]/.test(line) && fields.length > 0) fields.push(`${fields.pop()} ${line.trim()}`);
    else fields.push(line);
  }
  if (fields.length < lines.length) unusual.push("folded header lines");
  if (!fields.every((line) => headerLine.test(line))) throw new MalformedHead("header line");
  return fields;
}

/** RFC 9112, 5: a token, a colon, and no control characters but tabs. */
const headerLine = /^[!#$%&'*+.^_`|~\w-]+:[\t -~\u0080-\u00ff]*$/;

function fieldValue(line: string): string {
  return line.slice(line.indexOf(":") + 1);
}

/** The length of the body by RFC 9112, 6.3: repeated equal values are one, and Transfer-Encoding overrides them. */
function lengthOf(given: readonly string[], isCoded: boolean, unusual: UnusualHttp[]): number | undefined {
  const lengths = new Set(given.map((value) => value.trim()));
  if (isCoded && given.length > 0) unusual.push("two framings");
  if (isCoded || given.length === 0) return undefined;
  const [length = ""] = lengths;
  if (lengths.size > 1 || !/^\d+$/.test(length)) throw new MalformedHead("body length");
  if (given.length > 1) unusual.push("repeated length");
  return Number(length);
}

/** So many pieces have, together, the bytes that show the protocol. */
const leastPieces = 5;

/** The part of a socket that is watched. */
export interface WatchedSocket extends Pick<Socket, "push" | "write" | "destroy"> {
  readonly alpnProtocol?: string | false | null;
}

/**
 * Gives a socket's reader heads that Node's parser reads, and reports what is unusual in the responses. One request at a time
 * is under way on it.
 */
export function watchResponses(socket: WatchedSocket, note: (unusual: UnusualHttp) => void): void {
  if (socket.alpnProtocol === "h2") return;
  const push = socket.push.bind(socket);
  const write: (...given: never[]) => boolean = socket.write.bind(socket);
  /** The pieces of a head that is not complete; undefined in a body. */
  let begun: readonly Buffer[] | undefined = [];
  /** Bytes that are left of the body. */
  let left = 0;

  /** What the parser gets of bytes that begin with a head, or go on with one. */
  function inHead(before: readonly Buffer[], chunk: Buffer): Buffer {
    const pieces = [...before, chunk];
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    // A large head is not joined again for each of its pieces.
    if (before.length >= leastPieces && size <= maxHeadBytes && !mayEndHead(before, chunk)) {
      begun = pieces;
      return Buffer.alloc(0);
    }
    const all = Buffer.concat(pieces);
    const bytes = withoutLineBreaks(all);
    const end = endOfHead(bytes);
    if (!isBeginOfHttp(bytes) || (end === undefined && bytes.length > maxHeadBytes)) return leaveHead(all);
    if (end === undefined) {
      begun = bytes.length === 0 ? [] : pieces;
      return Buffer.alloc(0);
    }
    const received = bytes.toString("latin1", 0, end);
    const { head, unusual, bodyBytes } = readHead(received);
    for (const one of unusual) note(one);
    const rest = bytes.subarray(end);
    if (head === undefined) return inHead([], rest);
    leaveHead(rest, bodyBytes);
    return head === received ? bytes : Buffer.concat([Buffer.from(head, "latin1"), rest]);
  }

  function leaveHead(rest: Buffer, bodyBytes = Number.POSITIVE_INFINITY): Buffer {
    begun = undefined;
    left = bodyBytes;
    return inBody(rest);
  }

  function inBody(chunk: Buffer): Buffer {
    const wasComplete = left < 0;
    left -= chunk.length;
    if (left >= 0) {
      const isChunked = left === Number.POSITIVE_INFINITY;
      if (isChunked && chunk.includes(nextAfterChunks)) note("bytes after the body");
      return chunk;
    }
    const extra = withoutLineBreaks(chunk.subarray(chunk.length + left));
    if (extra.length === 0) left = 0;
    else if (!wasComplete) note("bytes after the body");
    return chunk;
  }

  socket.push = (chunk, encoding) => {
    const wasBegun = begun;
    if (!Buffer.isBuffer(chunk)) {
      if (wasBegun !== undefined && wasBegun.length > 0) push(Buffer.concat(wasBegun));
      return push(chunk, encoding);
    }
    try {
      const bytes = wasBegun === undefined ? inBody(chunk) : inHead(wasBegun, chunk);
      return bytes.length === 0 || push(bytes);
    } catch (error) {
      if (!(error instanceof MalformedHead)) throw error;
      socket.destroy(error);
      return false;
    }
  };
  socket.write = (...given: never[]) => {
    begun ??= [];
    return write(...given);
  };
}

/** What begins another response after the last chunk of a body. JSON cannot contain it. */
const nextAfterChunks = "\r\n0\r\n\r\nHTTP/1.";

// RFC 9112, 2.2: empty lines before a message are ignored.
function withoutLineBreaks(bytes: Buffer): Buffer {
  const begin = bytes.findIndex((byte) => byte !== 0x0d && byte !== 0x0a);
  return bytes.subarray(begin < 0 ? bytes.length : begin);
}

function isBeginOfHttp(bytes: Buffer): boolean {
  const name = Buffer.from("HTTP/").subarray(0, bytes.length);
  return bytes.subarray(0, name.length).equals(name);
}

/** Whether the end of a head may be in its last piece, or between that and the ones before. */
function mayEndHead(before: readonly Buffer[], chunk: Buffer): boolean {
  const seam = [...before.slice(-3).map((piece) => piece.subarray(-3)), chunk.subarray(0, 3)];
  return endOfHead(chunk) !== undefined || endOfHead(Buffer.concat(seam)) !== undefined;
}

/** Where the first empty line of a message ends. */
function endOfHead(bytes: Buffer): number | undefined {
  const ends = ["\n\r\n", "\n\n"].flatMap((mark) => {
    const at = bytes.indexOf(mark);
    return at < 0 ? [] : [at + mark.length];
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Notices of what was unusual in the responses of a run. */
export function noticesOfResponses(unusual: ReadonlyMap<UnusualHttp, number>, total: number): Finding[] {
  return [...unusual].map(([subject, count]) => ({
    code: "unusual-http",
    subject,
    seen: { count, total, of: "responses" },
  }));
}
