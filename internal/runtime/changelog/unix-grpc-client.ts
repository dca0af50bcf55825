/**
 * gRPC calls with one message each way, over a Unix socket and without TLS: what the change log's sidecar speaks. gRPC
 * is HTTP/2 with a frame of five bytes before each message and the status in the trailers, so Node's own HTTP/2 does
 * it; the client of the gRPC project would be a quarter of the whole program for this one call.
 */
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { abandonable } from '../../base/abandonable.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { ProviderError } from '../../base/errors.ts';
import { grpcFailure } from './grpc-status.ts';

export interface UnixGrpcClient {
  /**
   * Sends one message and resolves when the server has taken it; what it answers is not looked at. A server that is
   * not there is waited for ("wait for ready").
   *
   * @param path `/package.Service/Method`
   * @throws the signal's reason, or the status that the server gave
   */
  send(path: string, message: Uint8Array, signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface UnixGrpcClientOptions {
  readonly socketPath: string;
  readonly clock: Clock;
  /** The longest pause between two attempts to connect, in ms; default 1000. */
  readonly maxPauseMs?: number;
}

/** The first pause between two attempts to connect, in ms; it doubles from there. */
const FIRST_PAUSE_MS = 50;

export function createUnixGrpcClient(options: UnixGrpcClientOptions): UnixGrpcClient {
  const { socketPath, clock, maxPauseMs = 1000 } = options;
  let current: ClientHttp2Session | undefined;
  let connecting: Promise<ClientHttp2Session> | undefined;

  const open = () =>
    new Promise<ClientHttp2Session>((resolve, reject) => {
      const session = connect('http://localhost', { createConnection: () => connectSocket(socketPath) });
      // A socket that somebody accepts is not yet a server: its settings are its first word.
      session.once('remoteSettings', () => {
        current = session;
        // An idle connection to a neighbour must not keep a process alive.
        session.unref();
        resolve(session);
      });
      session.on('error', reject);
      session.once('goaway', () => forget(session));
      session.once('close', () => {
        forget(session);
        reject(new Error('the connection was closed'));
      });
    });
  const forget = (session: ClientHttp2Session) => {
    if (current === session) current = undefined;
  };
  const ready = async (signal: AbortSignal): Promise<ClientHttp2Session> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      signal.throwIfAborted();
      if (current !== undefined && !current.closed && !current.destroyed) return current;
      connecting ??= open().finally(() => {
        connecting = undefined;
      });
      try {
        return await abandonable(connecting, signal);
      } catch {
        signal.throwIfAborted();
      }
      await sleep(clock, pauseMs, signal);
    }
  };
  return {
    send: async (path, message, signal) => {
      for (;;) {
        const outcome = await exchange(await ready(signal), path, message, signal);
        if (outcome === 'taken') return;
      }
    },
    close: () => {
      current?.destroy();
      current = undefined;
    },
  };
}

/** `refused`: the server has not looked at it, so that it may be sent once more. */
function exchange(
  session: ClientHttp2Session,
  path: string,
  message: Uint8Array,
  signal: AbortSignal,
): Promise<'taken' | 'refused'> {
  return new Promise((resolve, reject) => {
    // It may have ended since it was ready.
    if (session.closed || session.destroyed) return resolve('refused');
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'provider-kyma',
    });
    let status: unknown;
    let reason: unknown;
    let httpStatus: number | undefined;
    const onAbort = () => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const read = (headers: Readonly<Record<string, unknown>>) => {
      status = headers['grpc-status'] ?? status;
      reason = headers['grpc-message'] ?? reason;
    };
    stream.on('response', (headers) => {
      httpStatus = headers[':status'];
      read(headers);
    });
    stream.on('trailers', read);
    // Told by 'close', which always comes.
    stream.on('error', () => undefined);
    stream.on('close', () => {
      signal.removeEventListener('abort', onAbort);
      if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) return resolve('refused');
      if (httpStatus === undefined) return reject(failed('UNAVAILABLE: the connection broke off'));
      if (httpStatus !== 200) return reject(failed(`the server answered with HTTP ${httpStatus}`));
      const failure = grpcFailure(status, reason);
      if (failure === undefined) resolve('taken');
      else reject(failed(failure));
    });
    // The answer's body must flow for its trailers to come.
    stream.resume();
    stream.end(framed(message));
  });
}

const failed = (text: string) => new ProviderError('transient', text);

/** Not compressed, its length, and itself. */
function framed(message: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
