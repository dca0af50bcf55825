// @peculiar/x509 wires itself with decorators and needs this before it.
import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  PemConverter,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { ShootAuthority } from './shoot-writes.ts';

const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
};

const CLIENT_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const VALID_MS = 7 * 24 * 60 * 60 * 1000;

export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** The authority of Shoots' clients, which also issues as `adminkubeconfig` does. */
export interface IssuingShootAuthority extends ShootAuthority {
  /** A client in the group `system:masters`. @param until milliseconds since the epoch */
  issue(commonName: string, from: number, until: number): Promise<ClientCertificate>;
}

const serialNumber = (): string => {
  const serial = randomBytes(10);
  // The first bit is the sign of a DER integer; RFC 5280 wants serial numbers positive.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial.toString('hex');
};

/** An RSA authority: Gardener reads PKCS #1 keys only. Takes a tenth of a second or more. */
export async function createShootAuthority(): Promise<IssuingShootAuthority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: new Name([{ CN: ['ca-client'] }]),
    notBefore: new Date(Date.now() - 5 * 60_000),
    notAfter: new Date(Date.now() + VALID_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const pkcs8 = await pemOf(keys.privateKey);
  return {
    certificate: certificate.toString('pem'),
    key: createPrivateKey(pkcs8).export({ type: 'pkcs1', format: 'pem' }).toString(),
    issue: async (commonName, from, until) => {
      const client = await webcrypto.subtle.generateKey(CLIENT_ALGORITHM, true, ['sign', 'verify']);
      const issued = await X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: new Name([{ O: ['system:masters'] }, { CN: [commonName] }]),
        issuer: certificate.subject,
        notBefore: new Date(from),
        notAfter: new Date(until),
        signingAlgorithm: ALGORITHM,
        publicKey: client.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
        ],
      });
      return { certificate: issued.toString('pem'), key: await pemOf(client.privateKey) };
    },
  };
}

const pemOf = async (key: webcrypto.CryptoKey): Promise<string> =>
  PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
