import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** A detached signature and what verifies it. */
export interface Signature {
  /** Base64, as `cosign sign-blob` writes it. */
  readonly signature: string;
  /** SubjectPublicKeyInfo as PEM. */
  readonly publicKey: string;
}

/**
 * Signs bytes with a private key (PEM): Ed25519 over the bytes themselves, or ECDSA on P-256 over their SHA-256. Both
 * can be verified with openssl and cosign. Throws, without the key's content, if the key is of another kind, cannot be
 * read, or needs a passphrase that is not given.
 */
export function signBytes(bytes: Uint8Array, pem: string, passphrase?: string): Signature {
  const key = privateKey(pem, passphrase);
  return {
    signature: sign(digestFor(key), bytes, key).toString('base64'),
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
  };
}

function privateKey(pem: string, passphrase: string | undefined): KeyObject {
  try {
    return createPrivateKey({ key: pem, ...(passphrase === undefined ? {} : { passphrase }) });
  } catch {
    // OpenSSL's own words are about its internals.
    throw new Error('cannot sign: the key is no PEM private key, or its passphrase is missing or wrong');
  }
}

function digestFor({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): 'sha256' | null {
  if (asymmetricKeyType === 'ed25519') return null;
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'sha256';
  throw new Error(`cannot sign with a key of type ${asymmetricKeyType}: want Ed25519, or ECDSA on P-256`);
}
