import { createScrubber } from '../../base/text/redact.ts';
import type { Credentials } from './cluster-config.ts';

/** Masks the credentials in texts of their API server, which may quote them in any response. Computed once for each credentials. */
export function credentialScrubber(credentials: Credentials): (text: string) => string {
  const known = scrubbers.get(credentials);
  if (known !== undefined) return known;
  const scrub = createScrubber([...secretsOf(credentials)]);
  scrubbers.set(credentials, scrub);
  return scrub;
}

const scrubbers = new WeakMap<Credentials, (text: string) => string>();

function* secretsOf({ key, headers }: Credentials): Generator<string> {
  if (key !== undefined) yield key;
  const [scheme = '', value = ''] = (headers.authorization ?? '').split(' ', 2);
  if (value === '') return;
  yield value;
  // RFC 7617
  if (scheme.toLowerCase() === 'basic')
    yield Buffer.from(value, 'base64')
      .toString('utf8')
      .replace(/^[^:]*:/, '');
}
