import { findCause, messageOf } from '../base/errors/errors.ts';
import { EndpointRefusedError, type TokenCheck } from '../http/index.ts';
import { type Check, networkRemedy, type Remedy } from './diagnosis.ts';

/** Both ways to install the provider set environment variables of its container. */
const permitEndpoint: Remedy = {
  field: 'ALLOW_PRIVATE_ENDPOINTS',
  remediation:
    'correct the credentials, or set ALLOW_PRIVATE_ENDPOINTS=true in the environment of the provider: env of the container in its DeploymentRuntimeConfig (Crossplane), or manager.extraEnv (Helm)',
};

/** A client of an external API, as far as the check needs it. */
export interface CheckedClient {
  checkToken(options: { readonly signal: AbortSignal }): Promise<TokenCheck>;
  close(): Promise<void>;
}

export interface ConnectCheckedOptions {
  readonly tokenUrl: string;
  /** If the credentials are refused; a server that is not reached has another. */
  readonly remedy: Remedy;
  readonly signal: AbortSignal;
}

/**
 * Connects to the external API and requests a new token. Yields one check: `token`, or `endpoint` if the credentials have an
 * endpoint that is not allowed.
 *
 * @returns the client, which the caller closes; undefined if the check failed
 */
export async function* connectChecked<C extends CheckedClient>(
  connect: () => C,
  { tokenUrl: object, remedy, signal }: ConnectCheckedOptions,
): AsyncGenerator<Check, C | undefined> {
  let client: C | undefined;
  try {
    client = connect();
    const { expiresInSeconds } = await client.checkToken({ signal });
    const life = expiresInSeconds === undefined ? '' : `, valid for ${expiresInSeconds} s`;
    yield { name: 'token', status: 'ok', object, detail: `granted${life}` };
    return client;
  } catch (error) {
    await client?.close();
    const name = client === undefined ? 'endpoint' : 'token';
    const refused = findCause(error, EndpointRefusedError) !== undefined;
    const detail = messageOf(error);
    const cause = refused
      ? permitEndpoint
      : (networkRemedy(error, 'the address of the token server') ?? remedy);
    yield { name, status: 'failed', object, detail, ...cause };
    return undefined;
  }
}
