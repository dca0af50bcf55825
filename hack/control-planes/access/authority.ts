// @peculiar/x509 wires itself with decorators and needs this before it.
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  GeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Certificates start in the past, for machines whose clocks differ, and outlive any test run. */
const BACKDATED_MS = 5 * 60 * 1000;
const VALID_MS = 7 * 24 * 60 * 60 * 1000;

/** A certificate with its private key (PKCS #8), both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** A throwaway certificate authority. It is a PEM pair, so that another process can use it. */
export interface Authority extends KeyPair {
  /** @param names DNS names and IP addresses of the server */
  issueServer(names: readonly string[]): Promise<KeyPair>;
  /** Kubernetes reads the common name as the user and each organization as a group. */
  issueClient(commonName: string, organizations?: readonly string[]): Promise<KeyPair>;
}

export async function createAuthority(commonName: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...lifetime(),
    name: new Name([{ CN: [commonName] }]),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return authority(certificate, keys.privateKey);
}

/** The authority that another process created. */
export async function loadAuthority(pair: KeyPair): Promise<Authority> {
  const der = PemConverter.decodeFirst(pair.key);
  const key = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']);
  return authority(new X509Certificate(pair.certificate), key);
}

async function authority(certificate: X509Certificate, key: webcrypto.CryptoKey): Promise<Authority> {
  const issue = async (subject: Name, usage: ExtendedKeyUsage, more: Extension[] = []): Promise<KeyPair> => {
    const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const issued = await X509CertificateGenerator.create({
      ...lifetime(),
      subject,
      issuer: certificate.subject,
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: key,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage]),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
        await AuthorityKeyIdentifierExtension.create(certificate),
        ...more,
      ],
    });
    return { certificate: issued.toString('pem'), key: await pemOf(keys.privateKey) };
  };
  return {
    certificate: certificate.toString('pem'),
    key: await pemOf(key),
    issueServer: (names) => {
      const alternatives = names.map((name) => new GeneralName(isIP(name) ? 'ip' : 'dns', name));
      return issue(new Name([{ CN: [names[0] ?? 'server'] }]), ExtendedKeyUsage.serverAuth, [
        new SubjectAlternativeNameExtension(alternatives),
      ]);
    },
    issueClient: (commonName, organizations = []) => {
      const groups = organizations.map((organization) => ({ O: [organization] }));
      return issue(new Name([...groups, { CN: [commonName] }]), ExtendedKeyUsage.clientAuth);
    },
  };
}

function lifetime() {
  const serial = randomBytes(10);
  // The first bit is the sign of a DER integer; RFC 5280 wants serial numbers positive.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return {
    serialNumber: serial.toString('hex'),
    notBefore: new Date(Date.now() - BACKDATED_MS),
    notAfter: new Date(Date.now() + VALID_MS),
  };
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}
