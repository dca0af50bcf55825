import { createScrubber, redact } from '../../base/text/redact.ts';
import type { ClusterConfig, Credentials } from '../config/cluster-config.ts';

/** Masks the credentials of a cluster in texts of its API server, which may quote a header, and texts with the form of a credential. */
export function credentialScrubber({
  credentials,
}: Pick<ClusterConfig, 'credentials'>): () => Promise<(text: string) => string> {
  let known: Credentials | undefined;
  let scrub = redact;
  return async () => {
    const current = await credentials().catch(() => known);
    if (current !== undefined && current !== known) {
      known = current;
      scrub = createScrubber(secretsOf(current));
    }
    return scrub;
  };
}

function secretsOf({ headers, key }: Credentials): string[] {
  const { authorization = '' } = headers;
  const [scheme = '', value = ''] = authorization.split(' ');
  const userAndPassword = scheme === 'Basic' ? Buffer.from(value, 'base64').toString('utf8') : '';
  const password = userAndPassword.slice(userAndPassword.indexOf(':') + 1);
  return [value, password, key ?? ''].filter((secret) => secret !== '');
}
