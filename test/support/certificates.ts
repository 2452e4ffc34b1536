import { generateKeyPairSync, sign } from "node:crypto";
import forge from "node-forge";

/** A certificate with its private key, in PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

interface WantedCertificate {
  /** DNS names and IP addresses. Default: 127.0.0.1, ::1 and localhost */
  readonly names?: readonly string[];
  /** Days until it expires; negative for an expired certificate. Default: 90 */
  readonly days?: number;
  /** The certificate that signs it. Default: itself */
  readonly by?: Certificate;
  /** Whether it is a certificate authority. Default: false */
  readonly isAuthority?: boolean;
}

const dayMilliseconds = 24 * 3600 * 1000;

function newKeys() {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

let sharedKeys: ReturnType<typeof newKeys> | undefined;

/**
 * Creates a certificate. Those that another one signs share a key, because a new one takes a tenth of a second. All others
 * have their own.
 */
export function makeCertificate({
  names = ["127.0.0.1", "::1", "localhost"],
  days = 90,
  by,
  isAuthority = false,
}: WantedCertificate = {}): Certificate {
  if (by !== undefined) sharedKeys ??= newKeys();
  const { publicKey, privateKey } = (by && sharedKeys) ?? newKeys();
  const made = forge.pki.createCertificate();
  made.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // Not zero in front, which DER does not allow.
  made.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(8))}`;
  made.validity.notBefore = new Date(Date.now() - 30 * dayMilliseconds);
  made.validity.notAfter = new Date(Date.now() + days * dayMilliseconds);
  const subject = [
    { name: "commonName", value: isAuthority ? `authority ${made.serialNumber}` : (names[0] ?? "") },
  ];
  made.setSubject(subject);
  made.setIssuer(
    by === undefined ? subject : forge.pki.certificateFromPem(by.certificate).subject.attributes,
  );
  made.setExtensions([
    { name: "basicConstraints", cA: isAuthority },
    ...(isAuthority ? [{ name: "keyUsage", keyCertSign: true, critical: true }] : []),
    { name: "extKeyUsage", serverAuth: true, clientAuth: true },
    {
      name: "subjectAltName",
      altNames: names.map((name) =>
        /^[\d.]+$|:/.test(name) ? { type: 7, ip: name } : { type: 2, value: name },
      ),
    },
  ]);
  // Signed by Node: forge would compute the signature in JavaScript, which takes a hundred times as long.
  const signer = {
    sign: () => {
      const signed = Buffer.from(forge.asn1.toDer(made.tbsCertificate).getBytes(), "latin1");
      return sign("sha256", signed, by?.key ?? privateKey).toString("latin1");
    },
  };
  made.sign(signer as unknown as forge.pki.rsa.PrivateKey, forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(made), key: privateKey };
}
