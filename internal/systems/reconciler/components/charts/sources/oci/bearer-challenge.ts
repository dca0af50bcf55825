import { SourceError } from '../model/source-error.ts';

/** Where a registry sends clients for a token (distribution token authentication). */
export interface BearerChallenge {
  readonly realm: URL;
  readonly service: string | undefined;
  readonly scope: string | undefined;
}

/** In characters. */
const MAX_HEADER = 4096;

/**
 * Reads `Bearer realm="…",service="…",scope="…"`.
 *
 * @throws SourceError of kind `auth` for other schemes: the registry wants a user and a password
 */
export function bearerChallengeOf(header: string | undefined, host: string): BearerChallenge {
  const text = (header ?? '').slice(0, MAX_HEADER);
  const parameters = parametersOf(text);
  const realm = URL.parse(parameters.get('realm') ?? '');
  if (!/^bearer\s/i.test(text) || realm === null) {
    throw new SourceError('auth', `registry ${host} does not give charts without a user`);
  }
  return { realm, service: parameters.get('service'), scope: parameters.get('scope') };
}

/** Texts between quotation marks, by the name before each. */
function parametersOf(text: string): ReadonlyMap<string, string> {
  const pieces = text.split('"');
  const parameters = new Map<string, string>();
  for (let index = 0; index + 1 < pieces.length; index += 2) {
    const name = (pieces[index] ?? '').split(/[\s,]/).at(-1) ?? '';
    if (name.endsWith('=')) parameters.set(name.slice(0, -1).toLowerCase(), pieces[index + 1] ?? '');
  }
  return parameters;
}
