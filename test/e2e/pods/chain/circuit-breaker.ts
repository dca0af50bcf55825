import { tool } from '../../../environment/tool.ts';
import type { ObjectEvent } from '../record-objects.ts';

/** Of the composite resources of one kind, since Crossplane's pod started. */
export interface CircuitBreakerEvents {
  readonly allowed: number;
  readonly dropped: number;
}

/**
 * The events that Crossplane counts against a composite resource for these changes, by kind: one for a new object, two for a change.
 */
export function countedEvents(events: readonly ObjectEvent[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type, object } of events) {
    counts[object.kind] = (counts[object.kind] ?? 0) + (type === 'MODIFIED' ? 2 : 1);
  }
  return counts;
}

/** What Crossplane's circuit breaker let pass, by the metrics of its pod. @param kind plural and group of the kind */
export async function circuitBreakerEvents(kind: string): Promise<CircuitBreakerEvents> {
  const place = ['--namespace=crossplane-system', '--selector=app=crossplane'];
  const [pod = ''] = (await tool('kubectl', ['get', 'pods', ...place, '--output=name'])).split('\n');
  const path = `/api/v1/namespaces/crossplane-system/pods/${pod.replace('pod/', '')}:8080/proxy/metrics`;
  return eventsIn(await tool('kubectl', ['get', '--raw', path]), kind);
}

/** @param metrics in Prometheus' text format */
export function eventsIn(metrics: string, kind: string): CircuitBreakerEvents {
  let allowed = 0;
  let dropped = 0;
  for (const [, labels = '', value] of metrics.matchAll(
    /^circuit_breaker_events_total\{([^}]*)\} (\S+)$/gm,
  )) {
    if (!labels.includes(`controller="composite/${kind}"`)) continue;
    if (/result="dropped"/i.test(labels)) dropped += Number(value);
    else allowed += Number(value);
  }
  return { allowed, dropped };
}
