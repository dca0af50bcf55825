import { valueAt } from '../base/json-field.ts';
import { singleSpaced } from '../base/text.ts';

/** Why no answer came, in words for users. */
export interface NetworkFailure {
  readonly text: string;
  /** False where somebody answered but cannot be trusted: a matter of certificates, not of the network. */
  readonly unreachable: boolean;
  /** Nothing was heard in time, which costs whoever asks that time each time. */
  readonly silent: boolean;
  /** A kept-alive connection that the other side had just closed fails like this; another one may do at once. */
  readonly staleConnection: boolean;
}

/** For each address that was tried. */
const MAX_TEXT_LENGTH = 300;
/** Of those that were tried and are told of. */
const MAX_ADDRESSES = 8;

const silentCodes = ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'];
const staleConnectionCodes = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Node's and OpenSSL's codes for a chain or a name that does not verify. */
const certificateCodes =
  /^(ERR_TLS_CERT|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH)/;

export function describeNetworkFailure(error: unknown): NetworkFailure {
  const code = codeOf(error) ?? '';
  const distrusted = certificateCodes.test(code);
  const text = textOf(error);
  return {
    text: distrusted ? `the server's TLS certificate or handshake is refused: ${text}` : text,
    unreachable: !distrusted,
    silent: silentCodes.includes(code),
    staleConnection: staleConnectionCodes.includes(code),
  };
}

/** By their properties and not by class, since errors of Node's core may come from another realm. */
function codeOf(error: unknown): string | undefined {
  const code = valueAt(error, ['code']);
  if (typeof code === 'string') return code;
  const cause = valueAt(error, ['cause']);
  return cause === undefined ? undefined : codeOf(cause);
}

/** An AggregateError, one for each address that was tried, has no text of its own. */
function textOf(error: unknown): string {
  const each = valueAt(error, ['errors']);
  if (Array.isArray(each) && each.length > 0)
    return [...new Set(each.slice(0, MAX_ADDRESSES).map(textOf))].join('; ');
  const message = valueAt(error, ['message']);
  const text = typeof message === 'string' && message !== '' ? message : String(error);
  return singleSpaced(text, MAX_TEXT_LENGTH);
}
