import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { InvalidConfigurationError, messageOf } from '../../../../framework/base/index.ts';

/** Who may send tasks: a client with a certificate, or with a bearer token; with both configured, one of them is enough. */
export interface AccessOptions {
  /** Whether clients are asked for a certificate. */
  readonly asksForCertificate: boolean;
  /** File with bearer tokens, one on a line; it is read for each request, so that it can be replaced. Empty: none. */
  readonly tokenFile: string;
}

/** Whether a request may send a task. */
export type Access = (request: IncomingMessage) => Promise<boolean>;

const MAX_TOKENS_LENGTH = 64 * 1024;

/** @throws InvalidConfigurationError if the file cannot be used */
export async function createAccess({ asksForCertificate, tokenFile }: AccessOptions): Promise<Access> {
  if (tokenFile !== '') await readTokens(tokenFile);
  if (!asksForCertificate && tokenFile === '') return async () => true;
  return async (request) => {
    const { authorized } = request.socket as Partial<TLSSocket>;
    if (asksForCertificate && authorized === true) return true;
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (tokenFile === '' || token === undefined) return false;
    const digest = digestOf(token);
    return (await readTokens(tokenFile)).some((known) => timingSafeEqual(digestOf(known), digest));
  };
}

async function readTokens(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new InvalidConfigurationError(`cannot use --token-file: ${messageOf(error)}`);
  });
  if (text.length > MAX_TOKENS_LENGTH) {
    throw new InvalidConfigurationError('cannot use --token-file: it is longer than 64 KiB');
  }
  const tokens = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (tokens.length > 0) return tokens;
  throw new InvalidConfigurationError('cannot use --token-file: it has no token');
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
