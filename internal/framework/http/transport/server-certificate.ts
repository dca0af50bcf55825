import { checkServerIdentity, type DetailedPeerCertificate, type PeerCertificate } from 'node:tls';

/**
 * Of the certificate of a server with its issuers, in bytes. TLS accepts 100 KiB, and an open connection has several times as much of it in
 * memory.
 */
const MAX_BYTES = 16 * 1024;

/** As `checkServerIdentity` of Node, for servers of tenants too: certificates that are very large are refused. */
export function checkServerCertificate(host: string, certificate: PeerCertificate): Error | undefined {
  const chain = new Set<PeerCertificate>();
  // The issuer of the last one is itself.
  for (let next: PeerCertificate | undefined = certificate; next !== undefined && !chain.has(next); ) {
    chain.add(next);
    next = (next as Partial<DetailedPeerCertificate>).issuerCertificate;
  }
  const bytes = [...chain].reduce((sum, { raw }) => sum + (raw?.length ?? 0), 0);
  if (bytes > MAX_BYTES)
    return new Error(`the certificates of the server have more than ${MAX_BYTES / 1024} KiB`);
  return checkServerIdentity(host, certificate);
}
