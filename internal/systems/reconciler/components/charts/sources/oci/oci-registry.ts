import { createHash } from 'node:crypto';
import { parseBoundedJson } from '../../../../../../framework/base/json/bounded-json.ts';
import { refused, SourceError } from '../model/source-error.ts';
import { bearerFor } from '../transport/host-credential.ts';
import { collect } from '../transport/limited-bytes.ts';
import type { SourceHttp, SourceHttpResponse } from '../transport/source-http.ts';
import { bearerChallengeOf } from './bearer-challenge.ts';
import { chartLayerOf, type LayerDescriptor, MANIFEST_TYPES, textAt } from './oci-manifest.ts';
import type { OciReference } from './oci-reference.ts';

/** The limit of registries themselves. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_TOKEN_BYTES = 256 * 1024;

/** Reads one chart of a registry. */
export interface OciRegistry {
  /** The layer with the chart that the tag or digest names now. */
  chartLayer(signal: AbortSignal): Promise<LayerDescriptor>;
  /** The bytes of the layer. Their digest is not checked yet. */
  layer(layer: LayerDescriptor, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * @param options.scheme `https`, or `http` where that is permitted
 */
export function openRegistry(
  { host, repository, reference }: OciReference,
  { http, scheme }: { readonly http: SourceHttp; readonly scheme: 'https' | 'http' },
): OciRegistry {
  const base = `${scheme}://${host}/v2/${repository}`;
  let token: string | undefined;

  const fetchToken = async (header: string | undefined, signal: AbortSignal): Promise<string> => {
    const { realm, service, scope } = bearerChallengeOf(header, host);
    if (service !== undefined) realm.searchParams.set('service', service);
    realm.searchParams.set('scope', scope ?? `repository:${repository}:pull`);
    const { body } = await http.send({ url: realm, maxBytes: MAX_TOKEN_BYTES }, signal);
    const answer = parseJson((await collect(body)).toString('utf8'), 'the token of the registry');
    const found = textAt(answer, ['token']) ?? textAt(answer, ['access_token']);
    if (found === undefined) throw new SourceError('auth', `registry ${host} gave no token`);
    return found;
  };

  /** Asks again with a token if the registry wants one. */
  const get = async (path: string, accept: string, maxBytes: number, signal: AbortSignal) => {
    const ask = (): Promise<SourceHttpResponse> => {
      const url = new URL(`${base}/${path}`);
      const credential = token === undefined ? undefined : bearerFor(url, token);
      return http.send(
        { url, headers: { accept }, credential, maxBytes, accept: token ? [] : [401] },
        signal,
      );
    };
    const answer = await ask();
    if (answer.status !== 401) return answer;
    await collect(answer.body);
    token = await fetchToken(answer.headers['www-authenticate'], signal);
    return await ask();
  };

  return {
    chartLayer: async (signal) => {
      const response = await get(`manifests/${reference}`, MANIFEST_TYPES, MAX_MANIFEST_BYTES, signal);
      const bytes = await collect(response.body);
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      const stated = reference.startsWith('sha256:') ? reference : response.headers['docker-content-digest'];
      if (stated?.startsWith('sha256:') && stated !== digest) {
        throw refused(`the manifest of ${host}/${repository} has the digest ${digest}, not ${stated}`);
      }
      return chartLayerOf(parseJson(bytes.toString('utf8'), 'the manifest'), `${host}/${repository}`);
    },
    layer: async ({ digest, size }, maxBytes, signal) => {
      if (size > maxBytes) throw refused(`the layer of the chart is larger than ${maxBytes} bytes`);
      // A byte more than the manifest says is refused.
      return (await get(`blobs/${digest}`, '*/*', size, signal)).body;
    },
  };
}

function parseJson(text: string, what: string): unknown {
  try {
    return parseBoundedJson(text, { maxLength: MAX_MANIFEST_BYTES });
  } catch {
    throw refused(`${what} is not valid JSON, or too large`);
  }
}
