import { expect, test } from '@jest/globals';
import { countedEvents, eventsIn } from './circuit-breaker.ts';

test('events of one kind are counted by what became of them', () => {
  const metrics = `# TYPE circuit_breaker_events_total counter
circuit_breaker_events_total{controller="composite/a",result="Allowed"} 80
circuit_breaker_events_total{controller="composite/b",result="Allowed"} 3
circuit_breaker_events_total{controller="composite/a",result="Halfopen_allowed"} 1
circuit_breaker_events_total{controller="composite/a",result="Dropped"} 7
circuit_breaker_opens_total{controller="composite/a"} 1
`;
  expect(eventsIn(metrics, 'a')).toEqual({ allowed: 81, dropped: 7 });
  expect(eventsIn('', 'a')).toEqual({ allowed: 0, dropped: 0 });
});

test('a change counts twice', () => {
  const event = (type: string, kind: string) => ({
    type,
    object: { kind, metadata: { uid: 'u', name: 'n' } },
  });
  const events = [event('ADDED', 'Usage'), event('MODIFIED', 'Usage'), event('ADDED', 'ServiceInstance')];
  expect(countedEvents(events)).toEqual({ Usage: 3, ServiceInstance: 1 });
});
