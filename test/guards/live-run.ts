import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  type ObservedOutput,
  type ObservedRun,
  observedRuns,
} from '../../internal/framework/base/telemetry/telemetry.ts';
import type { ObservedRequest } from '../../internal/framework/http/transport/send-request.ts';
import type { ObservedWrite } from '../../internal/framework/kube/fakes/memory-cluster.ts';
import type { ObservedStatement } from '../../internal/systems/reconciler/mothership/database/database.ts';
import { CAMPAIGN_NETWORK, originOfCall } from './origin.ts';
import { reportViolation } from './violations.ts';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'discover', 'GET']);
/** An exchange of credentials for a token writes nothing; events are written in the background, after the reconcile. */
const EXEMPT = /\/oauth2?\/token$|\/events(\/[^/]+)?$/;
const KUBERNETES = /^\/(api\/v1|apis\/[^/]+\/[^/]+)\//;
const WRITING_STATEMENTS = /^(Insert|Update|Delete|Merge)QueryNode$/;

/**
 * Work that has ended writes nothing: neither a reconcile, also one that was aborted, nor a task of a component, nor a runnable
 * of a process. A reconcile writes outside the API server of its object only if `assertMayWrite` allowed it: right before the
 * write, or as the fence of an HTTP request. Own objects are protected by their versions, so that they may be written without. Its
 * events are about its object.
 */
export function guardLiveRuns(channels: {
  readonly writes: string;
  readonly requests: string;
  readonly statements: string;
  readonly output: string;
}): () => void {
  const runs = new AsyncLocalStorage<ObservedRun>();
  const external = new WeakMap<ObservedRun, number>();
  const report = (what: string, details?: string) => {
    const origin = originOfCall(CAMPAIGN_NETWORK);
    if (!origin?.isProgram) return;
    const { where } = origin;
    reportViolation({ guard: 'live-run', where, what, ...(details === undefined ? {} : { details }) });
  };
  const reportEnded = (what: string, { hasEnded, name, reconcile }: ObservedRun) => {
    if (hasEnded() || reconcile?.signal.aborted) report(`${what} after the end of the ${name}`);
  };
  /** Whether each external write so far was allowed; one more happens now. */
  const isAllowed = (run: ObservedRun, { allowedWrites }: NonNullable<ObservedRun['reconcile']>) => {
    const count = (external.get(run) ?? 0) + 1;
    external.set(run, count);
    return count <= allowedWrites();
  };
  const onWrite = (message: unknown) => {
    const { verb, type, subresource, clusterName, options } = message as ObservedWrite;
    const run = runs.getStore();
    if (run === undefined || READS.has(verb) || options.dryRun || type.plural === 'events') return;
    const target = type.plural;
    const { reconcile } = run;
    reportEnded(`${verb} of ${target}`, run);
    // A subresource that is created is an answer, such as a kubeconfig.
    const isAnswer = verb === 'create' && subresource !== undefined;
    if (reconcile === undefined || clusterName === reconcile.home || isAnswer) return;
    if (!isAllowed(run, reconcile)) report(`${verb} of ${target} that assertMayWrite did not allow`);
  };
  const onRequest = (message: unknown) => {
    const { method, url, fence, isGuardedByCaller } = message as ObservedRequest;
    const run = runs.getStore();
    if (run === undefined || READS.has(method) || EXEMPT.test(url.pathname)) return;
    const { reconcile } = run;
    reportEnded(`${method} request`, run);
    if (reconcile === undefined || KUBERNETES.test(url.pathname)) return;
    if (isGuardedByCaller) {
      if (!isAllowed(run, reconcile)) report(`${method} request that assertMayWrite did not allow`);
    } else if (fence === undefined) report(`${method} request without a fence`);
  };
  const onStatement = (message: unknown) => {
    const { kind } = message as ObservedStatement;
    const run = runs.getStore();
    if (run !== undefined && WRITING_STATEMENTS.test(kind)) reportEnded(kind, run);
  };
  const onOutput = (message: unknown) => {
    const { kind, about } = message as ObservedOutput;
    const key = runs.getStore()?.reconcile?.key;
    if (kind !== 'event' || key === undefined || about === undefined || about === key) return;
    report('event about another object than that of the reconcile', `${about}, not ${key}`);
  };
  const handlers = [
    [channels.writes, onWrite],
    [channels.requests, onRequest],
    [channels.statements, onStatement],
    [channels.output, onOutput],
  ] as const;
  for (const [channel, handler] of handlers) subscribe(channel, handler);
  observedRuns.bindStore(runs, (run) => run as ObservedRun);
  return () => {
    for (const [channel, handler] of handlers) unsubscribe(channel, handler);
    observedRuns.unbindStore(runs);
  };
}
