import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { badRequest } from "./errors.ts";

/** Where a cursor is valid: for one organization in one category. */
export interface CursorScope {
  readonly organization: number;
  readonly category: string;
}

export interface Cursors {
  write(scope: CursorScope, position: number): string;
  /** @throws HttpError 400 for a cursor that this service did not issue for this scope. */
  read(scope: CursorScope, cursor: string): number;
}

const nonceBytes = 12;
const positionBytes = 8;
const cursorBytes = nonceBytes + positionBytes + 16;

/**
 * Opaque cursors that cannot be forged: the position is encrypted (AES-256-GCM) and bound to its scope. Scope
 * and position give the nonce, so that the same position has the same cursor.
 * @param secret 32 bytes.
 */
export function createCursors(secret: Uint8Array): Cursors {
  return {
    write(scope, position) {
      const plain = Buffer.alloc(positionBytes);
      plain.writeBigUInt64BE(BigInt(position));
      const bound = scopeBytes(scope);
      const nonce = createHmac("sha256", secret).update(bound).update(plain).digest().subarray(0, nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", secret, nonce).setAAD(bound);
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString(
        "base64url",
      );
    },
    read(scope, cursor) {
      const bytes = Buffer.from(cursor, "base64url");
      // Base64url can spell the same bytes in several ways; only ours is accepted.
      if (bytes.length !== cursorBytes || bytes.toString("base64url") !== cursor) throw foreignCursor();
      const sealed = nonceBytes + positionBytes;
      try {
        const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, nonceBytes), {
          authTagLength: 16,
        });
        decipher.setAAD(scopeBytes(scope)).setAuthTag(bytes.subarray(sealed));
        const plain = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, sealed)), decipher.final()]);
        return Number(plain.readBigUInt64BE());
      } catch {
        throw foreignCursor();
      }
    },
  };
}

const foreignCursor = () => badRequest("`cursor` is not a `next_cursor` of this category.");

function scopeBytes({ organization, category }: CursorScope): Buffer {
  return Buffer.from(JSON.stringify([organization, category]));
}
