import {
  createScrubber,
  cutText,
  type Deps,
  isObject,
  messageOf,
  ownMember,
  parseBoundedJson,
} from '../../../../framework/base/index.ts';
import { JsonLimitError } from '../../../../framework/base/json/json-text.ts';
import { oneLine } from '../../../../framework/base/text/text.ts';
import { createHttpClient } from '../../../../framework/http/client/http-client.ts';
import { type HttpResponse, NoResponseError } from '../../../../framework/http/index.ts';
import { openConnections } from '../../../../framework/http/transport/connections.ts';
import { confidentialTextsOf } from '../../../../framework/kube/config/untrusted-kubeconfig.ts';
import type { ComponentAccess, Task } from '../model/mothership.ts';
import type { Settings } from '../model/settings.ts';
import type { InvokeOutcome, Invoker } from './local-invoker.ts';

export interface HttpInvokerOptions extends Pick<Deps, 'clock' | 'random' | 'metrics' | 'tracer'> {
  readonly settings: Pick<Settings, 'reconcilers' | 'callTimeoutMs' | 'workers'>;
  readonly componentAccess?: ComponentAccess | undefined;
}

export interface HttpInvoker {
  readonly invoke: Invoker;
  close(): Promise<void>;
}

/** The component reconciler for components without one of their own. */
const FALLBACK = 'base';
const ROUTE = 'POST /run';
const MAX_RESPONSE_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 5000;
const KEEP_ALIVE_MS = 30_000;

/** Calls component reconcilers by HTTP. Their URLs are configuration, so that their addresses are not checked. */
export function createHttpInvoker({ settings, componentAccess, ...deps }: HttpInvokerOptions): HttpInvoker {
  const connections = openConnections({
    allowPrivateEndpoints: true,
    trustedCertificates: [],
    env: {},
    perOrigin: settings.workers,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    keepAliveMs: KEEP_ALIVE_MS,
  });
  const client = createHttpClient({
    ...deps,
    system: 'component-reconciler',
    // The worker pool limits the calls.
    slots: { acquire: async () => () => undefined },
    callTimeoutMs: settings.callTimeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  const urls = new Map(
    Object.entries(settings.reconcilers).map(([name, url]) => [name.toLowerCase(), new URL(url)]),
  );

  return {
    close: () => connections.close(),
    invoke: async (task, signal, secrets = []) => {
      const url = urls.get(task.component.toLowerCase()) ?? urls.get(FALLBACK);
      if (url === undefined) {
        const reason = `no component reconciler is configured for ${task.component}, and no ${FALLBACK}`;
        return { kind: 'unroutable', reason };
      }
      try {
        const token = await componentAccess?.token();
        const identity = await componentAccess?.identity?.();
        if (identity !== undefined) connections.changeIdentity(identity);
        connections.changeTrust((await componentAccess?.trustedCertificates?.()) ?? []);
        const request = {
          method: 'POST',
          url,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify(task),
        } as const;
        const dispatcher = () => connections.dispatcherFor(url);
        // It may quote what it got.
        const scrub = (text: string) =>
          createScrubber([...secretsOf(task), ...secrets, ...(token === undefined ? [] : [token])])(text);
        return outcomeOf(await client.send({ route: ROUTE, request, dispatcher }, signal), scrub);
      } catch (error) {
        return outcomeOfError(error, signal);
      }
    },
  };
}

/** Of the kubeconfig, and of the URLs that may have a password or the token of the attempt. */
function secretsOf({ kubeconfig, callbackURL, url }: Task): string[] {
  const urls = [callbackURL, url].flatMap((text) => URL.parse(text) ?? []);
  const inUrls = urls.flatMap(({ username, password, searchParams }) => [
    ...[username, password].flatMap((text) => [text, decodedOr(text)]),
    ...searchParams.values(),
  ]);
  return [...confidentialTextsOf(kubeconfig), ...inUrls];
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What component reconcilers mean by a status. */
const CAUSES: ReadonlyMap<number, 'busy' | 'unusable'> = new Map([
  [400, 'unusable'],
  [429, 'busy'],
]);

function outcomeOf({ status, body }: HttpResponse, scrub: (text: string) => string): InvokeOutcome {
  const isSuccess = status >= 200 && status < 300;
  let answer: unknown;
  try {
    answer = parseBoundedJson(body, { maxLength: MAX_RESPONSE_BYTES });
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof JsonLimitError)) throw error;
    if (isSuccess)
      return { kind: 'refused', reason: `the component reconciler answered ${status} without JSON` };
  }
  if (isSuccess) return { kind: 'accepted' };
  const message = isObject(answer) ? ownMember(answer, 'error') : undefined;
  const why = typeof message === 'string' && message !== '' ? `: ${oneLine(scrub(message))}` : '';
  const reason = cutText(`the component reconciler answered ${status}${why}`);
  const cause = CAUSES.get(status);
  return { kind: 'refused', reason, ...(cause === undefined ? {} : { cause }) };
}

/**
 * A task whose answer did not come in time may run, and so may one that was sent when this process stops. A connection that
 * was refused or broke off counts as refused.
 */
function outcomeOfError(error: unknown, signal: AbortSignal): InvokeOutcome {
  const reason = messageOf(error);
  if (!(error instanceof NoResponseError))
    return signal.aborted ? { kind: 'unsent' } : { kind: 'refused', reason };
  if (!error.sent) return error.aborted ? { kind: 'unsent' } : { kind: 'refused', reason };
  const mayRun = error.aborted || error.code === 'timeout';
  return { kind: mayRun ? 'unknown' : 'refused', reason };
}
