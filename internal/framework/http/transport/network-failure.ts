import { textAt, valueAt } from '../../base/json/json-value.ts';
import { singleSpaced } from '../../base/text/text.ts';

/** Why there is no response. Also a label of metrics. */
export type NetworkFailureCode =
  /** No connection in time: every caller waits for the full timeout. */
  | 'connect_timeout'
  | 'connection_refused'
  | 'name_resolution'
  /** For example a keep-alive connection that the server has just closed; a new connection may succeed at once. */
  | 'connection_reset'
  | 'proxy'
  /** The server's certificate or name is not trusted, or it does not speak TLS. */
  | 'tls'
  | 'error';

export interface NetworkFailure {
  readonly code: NetworkFailureCode;
  /** One line. */
  readonly text: string;
  /** The name that the resolver says does not exist: the host of the server or of a proxy. */
  readonly missingHost?: string;
}

/** Length of the texts for all addresses, in characters. */
const MAX_TEXT_LENGTH = 1024;
/** Number of addresses in the text. */
const MAX_ADDRESSES = 8;
/** Depth of `cause` and `errors`. */
const MAX_DEPTH = 8;

/** UND_ERR_HEADERS_TIMEOUT only occurs for the CONNECT request of a proxy. */
const connectTimeouts = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'ETIMEDOUT'];
const resets = ['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'];
/** Codes of Node and OpenSSL for a failed verification or handshake. */
const tlsCodes = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH/;

/** Advice to the user who starts Node. Users of a container cannot follow it. */
const nodesAdvice = /; if the root CA is installed locally, try running Node\.js with --use-system-ca\.?$/;

/** Describes an error of Node or undici. */
export function describeNetworkFailure(error: unknown): NetworkFailure {
  const text = textOf(error);
  const cause = withCode(error);
  const code = textAt(cause, 'code') ?? '';
  const missingHost = code === 'ENOTFOUND' ? textAt(cause, 'hostname') : undefined;
  return {
    code: classify(code, text),
    text: singleSpaced(text, MAX_TEXT_LENGTH),
    ...(missingHost === undefined ? {} : { missingHost }),
  };
}

function classify(code: string, text: string): NetworkFailureCode {
  if (code === '') return 'error';
  if (connectTimeouts.includes(code)) return 'connect_timeout';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_resolution';
  if (resets.includes(code)) return 'connection_reset';
  if (code.startsWith('UND_ERR_PRX') || text.startsWith('Proxy response')) return 'proxy';
  return tlsCodes.test(code) ? 'tls' : 'error';
}

/** The error with a code. By properties and not by class, since errors of Node's core may come from another realm. */
function withCode(error: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (textAt(error, 'code') !== undefined) return error;
  const [first] = errorsOf(error);
  return withCode(first ?? valueAt(error, ['cause']) ?? undefined, depth + 1);
}

/** An AggregateError has an error for each address, and no message. */
function textOf(error: unknown, depth = 0): string {
  const message = valueAt(error, ['message']);
  const each = errorsOf(error);
  if (each.length > 0 && !message && depth < MAX_DEPTH) {
    return [...new Set(each.slice(0, MAX_ADDRESSES).map((one) => textOf(one, depth + 1)))].join('; ');
  }
  if (typeof message === 'string' && message !== '') return message.replace(nodesAdvice, '');
  const code = valueAt(error, ['code']);
  return typeof code === 'string' ? code : String(error);
}

function errorsOf(error: unknown): readonly unknown[] {
  const errors = valueAt(error, ['errors']);
  return Array.isArray(errors) ? errors : [];
}
