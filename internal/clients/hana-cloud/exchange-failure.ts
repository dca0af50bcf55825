import { FencedError } from '../../base/fence.ts';
import { singleSpaced } from '../../base/text.ts';
import { OversizedResponseError } from '../../http/transport/send-request.ts';
import { EndpointRefusedError } from './errors.ts';

/** What kept the answer away, as a label for metrics. */
export function failureCode(error: unknown): string {
  if (error instanceof EndpointRefusedError) return 'endpoint_refused';
  if (error instanceof FencedError) return 'fenced';
  if (error instanceof OversizedResponseError) return 'oversized';
  const { code, message } = facts(error);
  if (code === undefined) return 'error';
  // The headers that have a time limit of their own are those of a proxy's tunnel.
  const slowToConnect = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'ETIMEDOUT'];
  if (slowToConnect.includes(code)) return 'connect_timeout';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_resolution';
  if (['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'].includes(code)) return 'connection_reset';
  if (code.startsWith('UND_ERR_PRX') || message.startsWith('Proxy response')) return 'proxy';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code)) return 'tls';
  return 'error';
}

/** In characters. */
const MAX_TEXT_LENGTH = 1024;

/** One line. */
export function failureText(error: unknown): string {
  const { code, message } = facts(error);
  return singleSpaced(message || code || 'failed', MAX_TEXT_LENGTH);
}

/** Read by form, not by class; of several addresses' errors the first speaks for all. */
function facts(error: unknown): { code?: string; message: string } {
  if (typeof error !== 'object' || error === null) return { message: '' };
  const { code, message, errors } = error as { code?: unknown; message?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0 && !message) return facts(errors[0]);
  return {
    ...(typeof code === 'string' ? { code } : {}),
    message: typeof message === 'string' ? message : '',
  };
}
