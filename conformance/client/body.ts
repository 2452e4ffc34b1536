import { isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { maxBodyBytes } from "../../schemas/api.ts";
import { jsonIn } from "../../schemas/json.ts";

export interface ReceivedBody {
  readonly text: string;
  /** Whether the bytes were well-formed UTF-8. */
  readonly utf8: boolean;
  /** The parsed body; undefined when it is not JSON or is nested too deeply. */
  readonly json?: unknown;
  /** The coding of its Content-Encoding, if the bytes do not have it. */
  readonly undecodable?: string;
}

/** Decodes a body, or leaves bytes that do not have the coding. @throws RangeError when it is too big */
export function readBody(raw: Buffer, encoding: string | undefined): ReceivedBody {
  if (encoding === undefined || raw.length === 0) return parsed(raw);
  try {
    // HTTP allows any coding when no Accept-Encoding is sent. They are listed as applied (RFC 9110, 8.4).
    return parsed(
      encoding.split(",").reduceRight((bytes, coding) => {
        const decode = decoders[coding.trim().toLowerCase()];
        return decode === undefined ? bytes : decode(bytes, { maxOutputLength: maxBodyBytes });
      }, raw),
    );
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return { ...parsed(raw), json: undefined, undecodable: encoding };
  }
}

type Decode = (bytes: Buffer, limit: { maxOutputLength: number }) => Buffer;

const decoders: Readonly<Record<string, Decode | undefined>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  deflate(bytes, limit) {
    // By RFC 9110, "deflate" has zlib's header; some services omit it.
    const isFramed = (bytes.readUInt8() & 0x0f) === 8 && bytes.length > 1 && bytes.readUInt16BE() % 31 === 0;
    return isFramed ? inflateSync(bytes, limit) : inflateRawSync(bytes, limit);
  },
};

function parsed(bytes: Buffer): ReceivedBody {
  const text = bytes.toString("utf8");
  return { text, utf8: isUtf8(bytes), json: isTooDeep(text) ? undefined : jsonIn(text) };
}

/** Most levels of a body that are read (RFC 8259, 9 allows a limit). Walking deeper overflows the stack. */
export const deepest = 200;

/** Whether a JSON text is nested deeper than that. Brackets inside strings do not count. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isInString = !isInString;
    else if (isInString && character === "\\") at++;
    else if (!isInString && (character === "[" || character === "{")) depth++;
    else if (!isInString && (character === "]" || character === "}")) depth--;
    if (depth > deepest) return true;
  }
  return false;
}
